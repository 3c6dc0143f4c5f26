import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startProcess } from '../support/start-process.ts'

/** Far longer than Node takes to open its inspector. */
const INSPECTOR_MS = 500

it.each([
  ['that the launcher started anew', {}],
  ['that was given a heap size and so was not', { NODE_OPTIONS: '--max-semi-space-size=16' }],
  [
    'that is the child of its launcher',
    { NODE_OPTIONS: '--import=data:text/javascript,process.execve=undefined' },
  ],
])('SIGUSR1 opens no inspector in a process %s', async (_which, environment) => {
  const demo = 'channels: [{ name: demo, provider: demo }]\n'
  await using gateway = await startProcess(demo, {}, { environment })
  gateway.child.kill('SIGUSR1')
  await pause(INSPECTOR_MS)
  expect(gateway.errors()).not.toContain('Debugger listening')
  expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
})
