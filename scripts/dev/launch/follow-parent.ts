// Loaded into each process that start:distributed starts: when the parent ends, even by kill -9, this process ends too.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
