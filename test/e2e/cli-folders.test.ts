import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { launcher } from '../support/program/launcher.ts'
import { runHeadgate } from '../support/run-headgate.ts'
import { startProcess } from '../support/start-process.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'

const demo = 'channels: [{ name: demo, provider: demo }]\n'

it('a command finds the server by the data folder that the configuration file names', async () => {
  await using server = await startProcess(demo)
  const here = await runHeadgate(['keys', 'create', '--name', 'ci'], { folder: server.folder })
  expect(here).toMatchObject({ code: 0 })
  const elsewhere = makeTemporaryFolder()
  const file = join(server.folder, 'headgate.yaml')
  const there = await runHeadgate(['--config', file, 'keys', 'list'], { folder: elsewhere })
  expect(there).toMatchObject({ code: 0, errors: '' })
  expect(there.output).toContain('ci')
  const models = await fetch(`${server.url}/v1/models`, {
    headers: { authorization: `Bearer ${here.output.trim()}` },
  })
  expect(models.status).toBe(200)
})

it.each([
  ['keys create', ['keys', 'create', '--name', 'ci']],
  ['keys list', ['keys', 'list']],
  ['logs', ['logs']],
  ['audit', ['audit']],
  ['channels list', ['channels', 'list']],
  ['backup', ['backup', 'copy.tar']],
  ['prices update', ['prices', 'update', 'new.json']],
])('%s without a server creates no data folder, and reports that there is none', async (_name, argv) => {
  const folder = makeTemporaryFolder()
  const ran = await runHeadgate(argv, { folder })
  expect(ran).toMatchObject({ code: 1, output: '' })
  expect(ran.errors).toContain(`no server runs here: there is no data folder at ${join(folder, 'data')}`)
  expect(existsSync(join(folder, 'data'))).toBe(false)
})

it.skipIf(process.platform === 'win32').each(['check', 'serve', 'keys list'])(
  '%s in a folder that was deleted says so without a stack',
  async (command) => {
    const folder = makeTemporaryFolder()
    const line = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'
    const argv = ['-c', line, 'sh', process.execPath, launcher, ...command.split(' ')]
    const { status, stderr } = spawnSync('sh', argv, { cwd: folder, encoding: 'utf8' })
    expect(stderr).toBe(
      'headgate: the working folder cannot be found (ENOENT); it may have been deleted; change to another folder, then run the command again [file_unreadable]\n',
    )
    expect(status).toBe(1)
  },
)

it('a file that does not name the data folder ends a command with its line and column', async () => {
  const folder = makeTemporaryFolder()
  writeFileSync(join(folder, 'headgate.yaml'), `listen: 127.0.0.1:0\ndata: \${NOWHERE_SET}\n`)
  const ran = await runHeadgate(['keys', 'list'], { folder })
  expect(ran.code).toBe(1)
  expect(ran.errors).toContain('headgate.yaml:2:7: data: the environment variable NOWHERE_SET is not set')
})

it('a command on the folder of a stopped server reports that none is running', async () => {
  await using server = await startProcess(demo)
  const ended = new Promise((resolve) => server.child.once('exit', resolve))
  server.child.kill('SIGTERM')
  await ended
  const data = join(server.folder, 'data')
  const made = await runHeadgate(['keys', 'create', '--name', 'ci'], { folder: server.folder })
  expect(made.code).toBe(0)
  expect(made.errors).toContain(
    `headgate: no server runs on the data folder ${data}; the command uses its files`,
  )
  const refused = await runHeadgate(['channels', 'list'], { folder: server.folder })
  expect(refused.code).toBe(1)
  expect(refused.errors).toContain(`no server runs on the data folder ${data}; start one`)
})

it('a command reports that the admin API is off, and how to turn it on', async () => {
  await using server = await startProcess(`${demo}admin: off\n`)
  for (const argv of [
    ['keys', 'list'],
    ['channels', 'list'],
  ]) {
    const ran = await runHeadgate(argv, { folder: server.folder })
    expect(ran.code).toBe(1)
    expect(ran.errors).toContain('serves no admin API, which commands use')
    expect(ran.errors).toContain('admin: { listen: 127.0.0.1:8081 }')
    expect(ran.errors).not.toContain('stop')
  }
})

it('a start on a data folder that cannot be used ends with 1 and the reason', async () => {
  const folder = makeTemporaryFolder()
  writeFileSync(join(folder, 'headgate.yaml'), `listen: 127.0.0.1:0\n${demo}`)
  writeFileSync(join(folder, 'data'), '')
  const started = await runHeadgate(['serve'], { folder })
  expect(started).toMatchObject({ code: 1 })
  expect(started.errors).toContain(`the data folder ${join(folder, 'data')} cannot be used`)
})
