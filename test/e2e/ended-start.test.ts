import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openDataFolder } from '../../src/app/open-data-folder.ts'
import { systemRandom } from '../../src/kit/random/random.ts'
import { systemClock } from '../../src/kit/time/clock.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { listParts } from '../support/list-parts.ts'
import { launcher } from '../support/program/launcher.ts'
import { runHeadgate } from '../support/run-headgate.ts'
import { canMountDisks, mountSmallDisk } from '../support/small-disk.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const yaml = channelYaml({ name: 'one', format: 'chat', origin: 'http://127.0.0.1:9', models: ['m'] })

it('a server of several processes that is to end while it starts ends in order, without a warning of restarts', async () => {
  const folder = makeTemporaryFolder()
  writeFileSync(
    join(folder, 'headgate.yaml'),
    `listen: 127.0.0.1:0\ndata: ${join(folder, 'data')}\nworkers: 1\n${yaml}`,
  )
  const child = spawn(process.execPath, [launcher, 'serve'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString('utf8')
  })
  const ended = once(child, 'exit')
  await until('its owner starts', () => listParts(child.pid ?? 0).length > 0, { deadlineMs: 60_000 })
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  expect(errors).toContain('headgate: SIGTERM, finishing running answers')
  expect(errors).not.toContain('"headgate restart" cannot reach this installation')
}, 90_000)

it('a server of several processes whose data folder cannot be used ends with 1 and the reason', async () => {
  const folder = makeTemporaryFolder()
  writeFileSync(join(folder, 'headgate.yaml'), `listen: 127.0.0.1:0\n${yaml}`)
  writeFileSync(join(folder, 'data'), '')
  const started = await runHeadgate(['serve', '--workers', '1'], { folder })
  expect(started).toMatchObject({ code: 1 })
  expect(started.errors).toContain(`the data folder ${join(folder, 'data')} cannot be used`)
}, 90_000)

it('a server of several processes whose data folder has lost its pepper ends with 1 and the reason', async () => {
  const folder = makeTemporaryFolder()
  writeFileSync(join(folder, 'headgate.yaml'), `listen: 127.0.0.1:0\n${yaml}`)
  const data = openDataFolder(join(folder, 'data'), { clock: systemClock, random: systemRandom })
  const keys = await data.openKeys(undefined)
  await keys.operations.create({ name: 'ci' })
  await keys.close()
  rmSync(join(folder, 'data', 'pepper'))
  const started = await runHeadgate(['serve', '--workers', '1'], { folder })
  expect(started).toMatchObject({ code: 1 })
  expect(started.errors).toContain(`${join(folder, 'data', 'pepper')} is gone; restore it from a copy`)
}, 90_000)

it.skipIf(!canMountDisks)(
  'a server of several processes that cannot delete the uploads of the last one ends with 1 and the reason',
  async () => {
    const folder = makeTemporaryFolder()
    writeFileSync(join(folder, 'headgate.yaml'), `listen: 127.0.0.1:0\n${yaml}`)
    const uploads = join(folder, 'data', 'uploads')
    mkdirSync(uploads, { recursive: true })
    using _disk = mountSmallDisk(uploads, 1)
    const started = await runHeadgate(['serve', '--workers', '1'], { folder })
    expect(started).toMatchObject({ code: 1 })
    expect(started.errors).toContain(`headgate: ${uploads} cannot be used: `)
    expect(started.errors).toContain('[file_unwritable]')
  },
  90_000,
)
