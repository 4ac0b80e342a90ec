#!/bin/bash
# Health check of the image: requests /readyz on the gateway's admin port and on a service's ops port, of which only one is open in a
# container. It uses only bash, because it runs every few seconds for each process.
for port in "${ADMIN_PORT:-8081}" "${OPS_PORT:-7001}"; do
  if exec 3<>"/dev/tcp/127.0.0.1/$port"; then
    printf 'GET /readyz HTTP/1.0\r\n\r\n' >&3
    read -r -t 5 _ status _ <&3
    [ "$status" = 200 ] && exit 0
  fi
done 2>/dev/null
exit 1
