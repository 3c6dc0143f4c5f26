import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { launcher } from '../support/program/launcher.ts'
import { startProcess } from '../support/start-process.ts'

test('a command whose reader closes the pipe, as head does, ends without a message', async () => {
  const child = spawn(process.execPath, [launcher, 'completion', 'bash'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.destroy()
  const [errors] = await Promise.all([text(child.stderr), once(child, 'close')])
  expect([child.exitCode, errors]).toEqual([0, ''])
})

test('logs --follow ends with the first line after its reader has gone', async () => {
  const yaml =
    'keys: [{ name: ci, secret: sk-ci-0123456789abcdef }]\nchannels: [{ name: demo, provider: demo }]'
  await using gateway = await startProcess(yaml)
  const words = [launcher, '--data', join(gateway.folder, 'data'), 'logs', '--follow']
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  child.stdout.destroy()
  const ended = once(child, 'close')
  const authorization = 'Bearer sk-ci-0123456789abcdef'
  const model = { model: 'demo-chat', messages: [{ role: 'user', content: 'Hi' }] }
  await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(model),
  })
  const [errors] = await Promise.all([text(child.stderr), ended])
  expect([child.exitCode, errors]).toEqual([0, ''])
})
