import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { startProcess } from '../support/start-process.ts'

/** A process that opens its inspector on the signal, and how it says so. */
async function startInspected() {
  const child = spawn(process.execPath, [
    '--inspect-port=0',
    '--eval',
    'console.log(1);setInterval(() => {}, 1e9)',
  ])
  await once(child.stdout, 'data')
  return { child, said: once(child.stderr, 'data'), [Symbol.dispose]: () => void child.kill('SIGKILL') }
}

it.each([
  ['that the launcher started again', {}],
  ['that was given a heap size and so was not', { NODE_OPTIONS: '--max-semi-space-size=16' }],
  [
    'that is the child of its launcher',
    { NODE_OPTIONS: '--import=data:text/javascript,process.execve=undefined' },
  ],
])('SIGUSR1 opens no inspector in a process %s', async (_which, environment) => {
  const demo = 'channels: [{ name: demo, provider: demo }]\n'
  await using gateway = await startProcess(demo, {}, { environment })
  using inspected = await startInspected()
  gateway.child.kill('SIGUSR1')
  // It is asked later, and has opened its inspector before this one is looked at.
  inspected.child.kill('SIGUSR1')
  expect(String(await inspected.said)).toContain('Debugger listening')
  expect(gateway.errors()).not.toContain('Debugger listening')
  expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
  // A launcher that is killed instead leaves its child.
  const ended = once(gateway.child, 'exit')
  gateway.child.kill('SIGTERM')
  await ended
})
