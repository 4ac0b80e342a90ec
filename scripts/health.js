// The image's health check: asks the process of this container whether it takes traffic, on the gateway's admin port or a
// service's ops port. One image serves for both, and only one of the two listens here.
const ports = [process.env.ADMIN_PORT || 8081, process.env.OPS_PORT || 7001];

const ready = await Promise.any(ports.map((port) => fetch(`http://127.0.0.1:${port}/readyz`))).catch(() => undefined);
process.exit(ready?.ok ? 0 : 1);
