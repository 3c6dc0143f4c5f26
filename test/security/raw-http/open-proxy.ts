import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { untilAsync } from '../../support/until.ts'

export const proxyNames = ['nginx', 'haproxy'] as const
export type ProxyName = (typeof proxyNames)[number]

export interface StartedProxy extends AsyncDisposable {
  readonly port: number
}

/** Whether the program is on this machine. */
export function isInstalled(name: ProxyName): boolean {
  return spawnSync(name, ['-v']).status === 0
}

/** Starts a reverse proxy as an operator would set it up: connections to the gateway are kept and shared. */
export async function openProxy(name: ProxyName, gatewayPort: number): Promise<StartedProxy> {
  const folder = mkdtempSync(join(tmpdir(), `headgate-${name}-`))
  const port = await findFreePort()
  const file = join(folder, 'proxy.conf')
  writeFileSync(file, configs[name]({ port, gatewayPort, folder }))
  const process = spawn(name, name === 'nginx' ? ['-p', folder, '-c', file] : ['-f', file], { stdio: 'pipe' })
  const errors: Buffer[] = []
  process.stderr.on('data', (part: Buffer) => errors.push(part))
  const ended = new Promise<void>((resolve) => process.once('exit', () => resolve()))
  await untilListening(port, () => Buffer.concat(errors).toString())
  return {
    port,
    async [Symbol.asyncDispose]() {
      process.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface Site {
  readonly port: number
  readonly gatewayPort: number
  readonly folder: string
}

const configs: Readonly<Record<ProxyName, (position: Site) => string>> = {
  nginx: ({ port, gatewayPort, folder }) => `daemon off;
master_process off;
pid ${folder}/pid;
error_log stderr crit;
events { worker_connections 256; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  client_max_body_size 0;
  underscores_in_headers on;
  ignore_invalid_headers off;
  upstream gateway { server 127.0.0.1:${gatewayPort}; keepalive 4; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://gateway;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_request_buffering off;
      proxy_buffering off;
    }
  }
}
`,
  haproxy: ({ port, gatewayPort }) => `global
  maxconn 256
defaults
  mode http
  timeout connect 3s
  timeout client 5s
  timeout server 5s
  option http-keep-alive
frontend callers
  bind 127.0.0.1:${port}
  default_backend gateway
backend gateway
  http-reuse always
  server one 127.0.0.1:${gatewayPort}
`,
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        typeof address === 'object' && address !== null
          ? resolve(address.port)
          : reject(new Error('no port')),
      )
    })
  })
}

async function untilListening(port: number, readErrors: () => string): Promise<void> {
  try {
    await untilAsync('the proxy listens', () => canConnect(port))
  } catch (cause) {
    throw new Error(`the proxy does not listen: ${readErrors()}`, { cause })
  }
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}
