import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { launcher } from '../support/program/launcher.ts'
import { testKey } from '../support/start-gateway.ts'
import { startProcess } from '../support/start-process.ts'

/** Takes the port that a killed server had, and notes all that it is sent. */
async function takePort(port: number): Promise<readonly string[]> {
  const heads: string[] = []
  const server = createServer((request, response) => {
    heads.push(`${request.url} ${request.rawHeaders.join(' ')}`)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}')
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return heads
}

it('another process on the port of a killed server gets no admin token, and commands work without a server', async () => {
  await using gateway = await startProcess(
    `keys: [{ name: test, secret: ${testKey}, models: ["*"] }]\nchannels: [{ name: demo, provider: demo }]\n`,
  )
  const folder = join(gateway.folder, 'data')
  const list = () => promisify(execFile)(process.execPath, [launcher, 'keys', 'list', '--data', folder])
  expect((await list()).stderr).toBe('')
  gateway.child.kill('SIGKILL')
  await once(gateway.child, 'exit')
  const heads = await takePort(Number(new URL(gateway.url).port))
  const { stdout, stderr } = await list()
  expect(heads.join('\n')).not.toContain(readFileSync(join(folder, 'admin-token'), 'utf8').trim())
  expect(stdout).toContain('test')
  expect(stderr).toContain(`headgate: warning: what listens at ${gateway.url} is not the server`)
})
