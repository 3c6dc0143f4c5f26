import type { Level } from './levels.ts'

export interface NginxParts {
  readonly level: Level
  readonly port: number
  /** Host and port. */
  readonly upstream: string
  readonly folder: string
  readonly keys: readonly string[]
}

/** A plain proxy of one worker; from `auth and routing` on with a table of keys and two weighted upstreams. */
export function writeNginxConfiguration({ level, port, upstream, folder, keys }: NginxParts): string {
  const checksKeys = level !== 'no auth'
  const table = keys.map((key) => `    "Bearer ${key}" 1;`).join('\n')
  return `daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 4096; }
http {
  log_format row escape=json '{"time":"$time_iso8601","status":$status,"bytes":$body_bytes_sent,"seconds":$request_time,"upstream":"$upstream_addr"}';
  access_log ${level === 'everything' ? `${folder}/access.log row` : 'off'};
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  client_max_body_size 32m;
  client_body_buffer_size 1m;
  keepalive_requests 1000000;
  map $http_authorization $is_known {
    default 0;
${table}
  }
  upstream models {
    server ${upstream} weight=3;
${checksKeys ? `    server ${upstream} weight=1;` : ''}
    keepalive 512;
    keepalive_requests 1000000;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      ${checksKeys ? 'if ($is_known = 0) { return 401; }' : ''}
      proxy_pass http://models;
      proxy_http_version 1.1;
      proxy_set_header connection "";
      proxy_buffering off;
    }
  }
}
`
}
