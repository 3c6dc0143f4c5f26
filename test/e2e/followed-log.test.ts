import { spawn } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import { launcher } from '../support/program/launcher.ts'
import { startProcess } from '../support/start-process.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const yaml =
  'keys: [{ name: ci, secret: sk-ci-0123456789abcdef }]\nchannels: [{ name: demo, provider: demo }]'

async function askModel(url: string, content: string): Promise<void> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-ci-0123456789abcdef', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo-chat', messages: [{ role: 'user', content }] }),
  })
  await answer.text()
}

test('logs --follow goes on after a restart of the server, also where it has another port by then', async () => {
  const folder = makeTemporaryFolder()
  const first = await startProcess(yaml, {}, { folder })
  onTestFinished(() => first[Symbol.asyncDispose]())
  await askModel(first.url, 'before')
  const child = spawn(process.execPath, [launcher, 'logs', '--follow', '--json'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  let errors = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  const countRows = () => output.split('\n').filter((line) => line.includes('"model":"demo-chat"')).length
  await until('the first request is printed', () => countRows() === 1)
  await first[Symbol.asyncDispose]()
  await until('the command misses the server', () => errors !== '')
  await using second = await startProcess(yaml, {}, { folder })
  await askModel(second.url, 'after')
  await until('the next request is printed', () => countRows() === 2)
  expect([child.exitCode, errors]).toEqual([
    null,
    'headgate: the server does not serve at the moment; requests are printed again once it does\n',
  ])
})
