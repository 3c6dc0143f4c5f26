import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { launcher } from '../support/program/launcher.ts'

test('a command whose reader closes the pipe, as head does, ends without a message', async () => {
  const child = spawn(process.execPath, [launcher, 'completion', 'bash'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.destroy()
  const [errors] = await Promise.all([text(child.stderr), once(child, 'close')])
  expect([child.exitCode, errors]).toEqual([0, ''])
})
