// Loaded into each child process (scripts/spawn-node.ts): when the parent ends, even by kill -9, the child ends too.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
