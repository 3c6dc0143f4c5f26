import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { launcher } from '../support/program/launcher.ts'
import { until } from '../support/until.ts'

/** Node hands servers to its own processes alone, and says no descriptor of them. */
function descriptorOf(server: Server): number {
  const handle: unknown = Reflect.get(server, '_handle')
  return Number(Reflect.get(Object(handle), 'fd'))
}

it('the gateway serves callers over a socket that a service manager passes to it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-activated-'))
  const socket = createServer().listen(0, '127.0.0.1')
  await once(socket, 'listening')
  const address = socket.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  writeFileSync(
    join(folder, 'headgate.yaml'),
    `listen: 127.0.0.1:1\ndata: ${join(folder, 'data')}\nworkers: 1\nlog: { level: silent }\n`,
  )
  // The variables are those of sd_listen_fds(3); the process keeps its ID over exec.
  const script = 'export LISTEN_PID=$$ LISTEN_FDS=1; exec "$0" "$@"'
  const child = spawn('sh', ['-c', script, process.execPath, launcher, 'serve'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe', descriptorOf(socket)],
  })
  let errors = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString('utf8')
  })
  const ended = once(child, 'exit')
  // The socket of this process would take connections as well.
  socket.close()
  try {
    await until('it serves', () => / on (https?:\S+)/.test(errors), { deadlineMs: 60_000 })
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { headers: { connection: 'close' } })
    expect([answer.status, errors]).toEqual([200, expect.stringContaining(`127.0.0.1:${port}`)])
  } finally {
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
}, 90_000)
