// Loaded into each process that start:distributed starts: when the parent is gone, even by kill -9, this one ends too.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
