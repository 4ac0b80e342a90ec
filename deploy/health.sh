#!/bin/bash
# The image's health check: asks the process of this container whether it takes traffic, on the gateway's admin port or a
# service's ops port; only one of the two listens here. By bash alone, since it runs every few seconds beside each process.
for port in "${ADMIN_PORT:-8081}" "${OPS_PORT:-7001}"; do
  if exec 3<>"/dev/tcp/127.0.0.1/$port"; then
    printf 'GET /readyz HTTP/1.0\r\n\r\n' >&3
    read -r -t 5 _ status _ <&3
    [ "$status" = 200 ] && exit 0
  fi
done 2>/dev/null
exit 1
