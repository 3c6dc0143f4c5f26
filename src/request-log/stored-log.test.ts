import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createFakeClock } from '../../test/support/fake-clock.ts'
import { createRequestRow } from '../../test/support/request-row.ts'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { until } from '../../test/support/until.ts'
import { openRequestLog } from '../storage/request-log/open-request-log.ts'
import { createStoredLog, type StoredLogOptions } from './stored-log.ts'

const policy = { keepMs: 86_400_000, maxRows: 1_000_000 }

function openLog(folder: string, different: Partial<StoredLogOptions> = {}) {
  const said = { up: [] as boolean[], dropped: 0, warnings: [] as string[] }
  const clock = createFakeClock()
  const log = createStoredLog({
    openStore: () => openRequestLog(folder),
    clock,
    policy,
    reports: {
      setUp: (isUp) => said.up.push(isUp),
      addDropped: (count) => {
        said.dropped += count
      },
      warn: (message) => said.warnings.push(message),
    },
    ...different,
  })
  onTestFinished(() => log.close())
  return { log, clock, said }
}

test('rows are written in batches, are found with all details, and survive a restart', async () => {
  const folder = makeTemporaryFolder()
  const row = createRequestRow({
    cause: 'why',
    candidates: [
      { channel: 'primary', upstreamModel: 'gpt', credentialId: 'primary#0' },
      { channel: 'other', upstreamModel: 'gpt', credentialId: undefined, excluded: 'rate-limited' },
    ],
    losses: [{ feature: 'top-k', kind: 'dropped' }],
  })
  const first = openLog(folder)
  first.log.requestEnded(row)
  await first.log.close()
  const { log } = openLog(folder)
  log.requestEnded(createRequestRow({ requestId: 'req_2', isStream: false }))
  const found = await log.find(row.requestId)
  const { keyName, totalMs, usage, attempts, candidates, losses, cause } = row
  expect(found).toMatchObject({ id: 1, keyName, totalMs, usage, losses, cause, inputTokens: 10 })
  expect(found?.attempts).toEqual(attempts)
  expect(found?.candidates).toEqual(candidates)
  expect((await log.page({ limit: 10 })).rows.map(({ requestId }) => requestId)).toEqual([
    'req_2',
    row.requestId,
  ])
  expect(await log.find('req_nobody')).toBeUndefined()
})

test('a log that is off is not reported as one that cannot be written', async () => {
  const off = openLog(makeTemporaryFolder(), { policy: undefined })
  expect(off.said.up).toEqual([true])
  const broken = openLog(makeTemporaryFolder(), {
    openStore: () => Promise.reject(new Error('the file is damaged')),
  })
  broken.log.requestEnded(createRequestRow())
  broken.clock.advance(1_000)
  await until('the failure is reported', () => broken.said.up.at(-1) === false)
  broken.log.change(undefined)
  expect(broken.said.up.at(-1)).toBe(true)
  await broken.log.close()
  expect(broken.said.up.at(-1)).toBe(true)
})

test('requests to the admin API leave no row, and refused requests of callers do', async () => {
  const { log } = openLog(makeTemporaryFolder())
  const unknown = { format: undefined, keyId: undefined, status: 401 }
  const admin = { ...unknown, isOperator: true as const, path: '/admin/v1/requests' }
  log.requestEnded(createRequestRow({ ...admin, status: 200 }))
  log.requestEnded(createRequestRow({ ...admin, error: 'admin_only' }))
  log.requestEnded(createRequestRow({ ...unknown, error: 'missing_api_key' }))
  expect((await log.page({ limit: 10 })).rows.map(({ error }) => error)).toEqual(['missing_api_key'])
})

test('a list waits for a few unwritten rows, but not for many', async () => {
  const { log } = openLog(makeTemporaryFolder())
  const end = (name: string, count: number) => {
    for (let index = 0; index < count; index += 1)
      log.requestEnded(createRequestRow({ requestId: `req_${name}_${index}` }))
  }
  end('few', 8)
  expect((await log.page({ limit: 100 })).rows).toHaveLength(8)
  end('many', 80)
  expect((await log.page({ limit: 100 })).rows).toHaveLength(8)
  expect(await log.find('req_many_79')).toBeDefined()
  expect((await log.page({ limit: 100 })).rows).toHaveLength(88)
})

test('rows wait while the disk is filling up, and are written once there is room', async () => {
  const disk = { hasRoom: false }
  const { log, clock, said } = openLog(makeTemporaryFolder(), { mayWrite: () => disk.hasRoom })
  log.requestEnded(createRequestRow({ requestId: 'req_1' }))
  clock.advance(250)
  await until('it is off', () => said.up.at(-1) === false)
  expect(said.warnings).toEqual([expect.stringContaining('the disk fills up')])
  disk.hasRoom = true
  clock.advance(5_000)
  await until('it is on again', () => said.up.at(-1) === true)
  expect((await log.page({ limit: 10 })).rows.map(({ requestId }) => requestId)).toEqual(['req_1'])
  expect(said.dropped).toBe(0)
})

test('rows above the waiting limit are dropped and counted, with one log line a minute', async () => {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  const folder = makeTemporaryFolder()
  const { log, clock, said } = openLog(folder, {
    openStore: async () => {
      await opened
      return openRequestLog(folder)
    },
  })
  for (let index = 0; index < 20_010; index += 1) log.requestEnded(createRequestRow())
  expect(said.dropped).toBe(10)
  expect(said.warnings).toEqual([
    'the request log lost 1 rows, which arrived faster than they could be written',
  ])
  clock.advance(60_000)
  log.requestEnded(createRequestRow())
  expect(said.warnings[1]).toBe(
    'the request log lost 10 rows, which arrived faster than they could be written',
  )
  open()
  expect((await log.page({ limit: 1 })).rows[0]?.id).toBe(20_000)
})

test('the log is off while its store cannot be opened, and the waiting rows are written later', async () => {
  const folder = makeTemporaryFolder()
  const file = join(folder, 'requests.db')
  writeFileSync(file, 'not a database, but long enough to be looked at'.repeat(50))
  const { log, clock, said } = openLog(folder)
  log.requestEnded(createRequestRow())
  await expect(log.page({ limit: 1 })).rejects.toThrow('The request log cannot be used at the moment.')
  expect(said.warnings).toEqual([
    `the request log cannot be written and is off until writing succeeds: ${file} cannot be opened: file is not a database; move it away, and another one is made; requests are served without it`,
  ])
  expect(said.up.at(-1)).toBe(false)
  rmSync(file)
  clock.advance(5_000)
  await until('the log is up', () => said.up.at(-1) === true)
  expect(said.warnings.at(-1)).toBe('writing the request log resumed')
  expect((await log.page({ limit: 10 })).rows).toHaveLength(1)
  expect(said.dropped).toBe(0)
})

test('old rows are deleted automatically', async () => {
  const { log, clock } = openLog(makeTemporaryFolder(), { policy: { ...policy, maxRows: 1_500 } })
  const endedAtMs = clock.nowMs()
  for (let index = 0; index < 4_000; index += 1) log.requestEnded(createRequestRow({ endedAtMs }))
  const count = async () => (await log.page({ limit: 5_000 })).rows.length
  expect(await count()).toBe(4_000)
  const prune = async (left: number) => {
    while ((await count()) !== left) clock.advance(60_000)
  }
  await prune(1_500)
  clock.advance(policy.keepMs)
  await prune(0)
})

test('a disabled log keeps nothing, refuses to be read, and can be enabled', async () => {
  const { log } = openLog(makeTemporaryFolder(), { policy: undefined })
  log.requestEnded(createRequestRow())
  await expect(log.page({ limit: 1 })).rejects.toThrow('The request log is off.')
  log.change(policy)
  log.requestEnded(createRequestRow({ requestId: 'req_2' }))
  expect((await log.page({ limit: 10 })).rows.map(({ requestId }) => requestId)).toEqual(['req_2'])
})
