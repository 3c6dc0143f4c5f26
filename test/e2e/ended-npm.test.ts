import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { launcher } from '../support/program/launcher.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { needsOneProcess } from '../support/topology/needs.ts'
import { until } from '../support/until.ts'

/** Starts Headgate as npm does: as the child of a shell, which dies of a signal and forwards none. */
async function startByShell(workers: string) {
  const folder = makeTemporaryFolder()
  writeFileSync(
    join(folder, 'headgate.yaml'),
    `listen: 127.0.0.1:0\nworkers: ${workers}\nchannels: [{ name: demo, provider: demo }]\n`,
  )
  const shell = spawn('sh', ['-c', '"$0" "$1" serve; exit', process.execPath, launcher], {
    cwd: folder,
    env: { ...process.env, npm_lifecycle_event: 'headgate' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  let isClosed = false
  shell.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  // The last process that could write has ended.
  shell.once('close', () => {
    isClosed = true
  })
  await until('it serves', () => / on http:\S+/.test(errors), { deadlineMs: 120_000 })
  return { shell, errors: () => errors, isClosed: () => isClosed }
}

it.each(['off', '1'])(
  'a server that npm started ends with npm, with "workers: %s"',
  { timeout: 240_000 },
  async (workers) => {
    needsOneProcess('the test sets the number of processes itself')
    const { shell, errors, isClosed } = await startByShell(workers)
    shell.kill('SIGTERM')
    await until('all processes have ended', isClosed, { deadlineMs: 60_000 })
    expect(errors()).toContain('headgate: npm ended, finishing running answers')
  },
)
