import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { readDatabase } from '../../src/config/database-schema.ts'
import { openSourceFolder } from '../../src/storage/migrate/source-folder.ts'
import { verifyCopy } from '../../src/storage/migrate/verify-copy.ts'
import { type AskAdmin, createAskAdmin } from '../support/ask-admin.ts'
import type { StartedGateway } from '../support/start-gateway.ts'
import { untilAsync } from '../support/until.ts'
import { digestFiles, downloadBackup, openMigration, spender } from './open-migration.ts'
import { callNode } from './open-nodes.ts'
import { useDatabase } from './open-stores.ts'

const shared = useDatabase()
const state = () => shared.current

async function openEmpty() {
  await state().empty()
  return openMigration()
}

async function spend(gateway: StartedGateway, key: string, times: number): Promise<readonly number[]> {
  const statuses: number[] = []
  for (let index = 0; index < times; index += 1) statuses.push((await callNode(gateway, key)).status)
  return statuses
}

/** What an operator sees of an installation, without what belongs to the process. */
async function readViews(admin: AskAdmin) {
  const paths = [
    '/budgets',
    '/usage?by=key,model',
    '/ledger',
    '/users',
    '/tokens',
    '/config/versions',
    '/audit',
  ]
  const views: Record<string, unknown> = {}
  for (const path of paths) views[path] = (await admin('GET', path)).body
  return views
}

test('a data folder is copied while its gateway serves, and PostgreSQL serves the same data', async () => {
  const scene = await openEmpty()
  const { url, server } = state()
  const gateway = await scene.serve()
  const admin = createAskAdmin(gateway.url)
  const made = await admin('POST', '/keys', { body: { name: 'shared', models: ['*'] } })
  const { secret: key, id } = JSON.parse(made.text)
  await admin('PUT', '/models/alias', { body: { targets: ['one/m'] } })
  await admin('POST', '/tokens', { body: { name: 'service', role: 'viewer' } })
  await spend(gateway, spender, 3)
  const history = await scene.migrate(url, { step: 'history', backUp: () => downloadBackup(gateway) })
  expect(history).toMatchObject({ copied: { ledgerRows: 3 }, compared: undefined })
  await spend(gateway, spender, 4)
  await spend(gateway, key, 2)
  await expect(scene.serve(url)).rejects.toThrow(/has not verified all of it yet/)
  const before = await readViews(admin)
  await gateway[Symbol.asyncDispose]()

  const files = digestFiles(scene.dataFolder)
  expect(Object.keys(files)).toEqual(
    expect.arrayContaining(['headgate.db', 'ledger.db', 'requests.db', 'pepper']),
  )
  const finished = await scene.migrate(url)
  expect(finished.copied).toMatchObject({ ledgerRows: 6 })
  expect(finished.compared).toBeGreaterThan(200)
  expect(digestFiles(scene.dataFolder)).toEqual(files)

  const node = await scene.serve(url)
  const after = createAskAdmin(node.url)
  for (const [path, view] of Object.entries(await readViews(after)))
    expect(JSON.stringify(view), path).toEqual(JSON.stringify(before[path]))
  expect(await spend(node, key, 1)).toEqual([200])
  expect((await after('GET', `/keys/${id}`)).body).toMatchObject({ name: 'shared' })
  // Twenty-five answers fit into the budget, and seven were had before.
  let served = 0
  await untilAsync('the budget is spent', async () => {
    served += (await spend(node, spender, 1)).filter((status) => status === 200).length
    return served === 18
  })
  expect(await spend(node, spender, 4)).not.toContain(200)
  const requests = JSON.parse((await after('GET', '/requests?limit=100')).text)
  expect(requests.data.length).toBeGreaterThanOrEqual(9)
  await untilAsync('the ledger has a row for each answer, and adds up', async () => {
    const { body } = await after('POST', '/ledger/verify')
    return JSON.stringify(body).includes('"adds_up":true') && JSON.stringify(body).includes('"rows":28,')
  })
  expect(
    await server.query(url, 'select count(*)::int as n from headgate.requests where shape_id is null'),
  ).toEqual([{ n: 0 }])
}, 120_000)

test('the backup of a run that was killed is deleted by the next one, and that of a live run is not', async () => {
  const scene = await openEmpty()
  const gateway = await scene.serve()
  await gateway[Symbol.asyncDispose]()
  const ended = spawnSync(process.execPath, ['--version'])
  const [left, live] = [ended.pid, process.ppid].map((pid) => `${scene.dataFolder}.copy-${pid}-a1B2c3`)
  for (const folder of [left, live]) if (folder !== undefined) mkdirSync(folder)
  await scene.migrate(state().url, { step: 'history' })
  expect([left, live].map((folder) => existsSync(folder ?? ''))).toEqual([false, true])
})

test('an interrupted copy continues where it stopped', async () => {
  const scene = await openEmpty()
  const { url, server } = state()
  const gateway = await scene.serve()
  await spend(gateway, spender, 4)
  await gateway[Symbol.asyncDispose]()
  const stopped = scene.migrate(url, {
    step: 'history',
    report(work) {
      if (work === 'request log') throw new Error('ended here')
    },
  })
  await expect(stopped).rejects.toThrow('ended here')
  expect(await server.query(url, 'select count(*)::int as n from headgate.ledger_rows')).toEqual([{ n: 4 }])
  const again = await scene.migrate(url)
  expect(again.copied).toEqual({ ledgerRows: 0, requests: 4 })
})

test('a copy with a missing row is refused, and no node starts on it', async () => {
  const scene = await openEmpty()
  const { url, server } = state()
  const gateway = await scene.serve()
  await spend(gateway, spender, 3)
  await gateway[Symbol.asyncDispose]()
  await scene.migrate(url, { step: 'history' })
  await server.query(url, 'delete from headgate.ledger_rows where number = 2')
  await expect(scene.migrate(url)).rejects.toThrow(/ledger, rows: 3 in the data folder, 2 in the database/)
  await expect(scene.serve(url)).rejects.toThrow(/has not verified all of it yet/)
})

const damages: readonly (readonly [sql: string, difference: RegExp])[] = [
  ['delete from ledger_rows where number = 2', /^ledger, rows: 3 in the data folder, 2 in the database/],
  ['update ledger_rows set cost = cost + 1 where number = 2', /^ledger, cost: 120000 .* 120001 in/],
  ['update usage_sums set charged = charged - 1', /^usage of the hour .* charged: 120000 .* 119999 in/],
  ['delete from requests where id = (select max(id) from requests)', /^requests, rows: 3 .* 2 in/],
  ['update requests set output_tokens = 0', /^requests, output_tokens: 60 .* 0 in/],
  ['update traffic set failed = failed + 1', /^traffic of unit 1, failed: 0 /],
  ['update budget_windows set settled = settled - 1', /^budget .*, spent: 120000 .* 119999 in/],
  ['delete from keys', /^rows of keys: 1 .* 0 in/],
  ["update keys set name = 'spenders'", /^sum of keys.name: 7 .* 8 in/],
  ['insert into code_ends values ($$a$$, 1, $$b$$, null)', /^rows of code_ends: 0 .* 1 in/],
]

test('the verification finds a missing row, an extra row, and a sum that differs', async () => {
  const scene = await openEmpty()
  const { url, database } = state()
  const gateway = await scene.serve()
  await spend(gateway, spender, 3)
  // A report has the requests added up first.
  await createAskAdmin(gateway.url)('GET', '/traffic')
  await gateway[Symbol.asyncDispose]()
  await scene.migrate(url)
  const source = openSourceFolder(scene.dataFolder)
  onTestFinished(() => source.close())
  await database.query("delete from data_keys where name in ('pepper', 'admin_token', 'metrics_token')")
  expect(await verifyCopy(source, database)).toMatchObject({ differences: [] })
  for (const [sql, difference] of damages) {
    const undone = database.transaction(async (queries) => {
      await queries.query(sql)
      const { differences } = await verifyCopy(source, queries)
      expect(
        differences.some((each) => difference.test(each)),
        `${sql}: ${differences.join('; ')}`,
      ).toBe(true)
      throw new Error('undo')
    })
    await expect(undone).rejects.toThrow('undo')
  }
})

test('the last step is refused while a gateway runs on the data folder', async () => {
  const scene = await openEmpty()
  const gateway = await scene.serve()
  await expect(scene.migrate(state().url)).rejects.toThrow(/a gateway runs on the data folder/)
  await gateway[Symbol.asyncDispose]()
})

test('a gateway does not start on a data folder while it is copied', async () => {
  const scene = await openEmpty()
  await (await scene.serve())[Symbol.asyncDispose]()
  const source = openSourceFolder(scene.dataFolder)
  await expect(scene.serve()).rejects.toThrow(/in use|another process/i)
  source.close()
  await scene.serve()
})

test('another secret, another installation, a used database and older tables are refused', async () => {
  const scene = await openEmpty()
  const { url, server } = state()
  await (await scene.serve())[Symbol.asyncDispose]()
  const other = { secret: 'another-secret-0123456789abcdef' }
  await expect(scene.migrate(url, other)).rejects.toThrow(/HEADGATE_SECRET is not the one/)
  await scene.migrate(url, { step: 'history' })
  await server.query(url, "update headgate.folder_copy set installation = 'other'")
  await expect(scene.migrate(url)).rejects.toThrow(/another data folder/)
  await server.query(url, 'delete from headgate.folder_copy')
  await expect(scene.migrate(url)).resolves.toMatchObject({ compared: expect.any(Number) })
  await expect(scene.migrate(url)).rejects.toThrow(/holds this data folder already/)
  await server.query(url, 'delete from headgate.folder_copy')
  await expect(scene.migrate(url, { step: 'plan' })).rejects.toThrow(/holds an installation already/)
  const database = new DatabaseSync(join(scene.dataFolder, 'ledger.db'))
  database.exec('delete from migrations where number = (select max(number) from migrations)')
  database.close()
  await expect(scene.migrate(url)).rejects.toThrow(/older Headgate/)
})

test('a dry run lists the data, and writes nothing', async () => {
  const scene = await openEmpty()
  const { server } = state()
  const gateway = await scene.serve()
  await spend(gateway, spender, 2)
  await gateway[Symbol.asyncDispose]()
  const url = await server.createDatabase()
  const planned = await scene.migrate(url, { step: 'plan' })
  expect(planned).toMatchObject({ rows: { ledger: 2, requests: 2, keys: 1 }, copied: undefined })
  expect(await server.query(url, "select 1 from pg_namespace where nspname = 'headgate'")).toEqual([])
})

test('a dry run says nothing of captures while a gateway serves, since no backup has them', async () => {
  const scene = await openEmpty()
  const gateway = await scene.serve()
  const plan = () => scene.migrate(state().url, { step: 'plan', backUp: () => downloadBackup(gateway) })
  expect((await plan()).rows).not.toHaveProperty('captures')
})

test('a role that may not make tables is refused by every step, also by a dry run', async () => {
  const scene = await openEmpty()
  const { server } = state()
  await (await scene.serve())[Symbol.asyncDispose]()
  const url = await server.createDatabase()
  for (const statement of [
    'create role guest login',
    'create schema others',
    'grant usage on schema others to guest',
  ])
    await server.query(url, statement)
  const address = new URL(url)
  address.username = 'guest'
  for (const step of ['plan', 'history', 'finish'] as const)
    for (const schema of ['headgate', 'others'])
      await expect(
        scene.migrate(url, { step, settings: readDatabase(address.href, { schema }) }),
      ).rejects.toMatchObject({ code: 'database_away', advice: expect.stringContaining('create schema') })
})

test('tables of another program, and of a newer version, are refused by every step, also by a dry run', async () => {
  const scene = await openEmpty()
  const { server } = state()
  await (await scene.serve())[Symbol.asyncDispose]()
  const url = await server.createDatabase()
  await server.query(url, 'create table public.users (login text)')
  const settings = readDatabase(url, { schema: 'public' })
  for (const step of ['plan', 'history', 'finish'] as const)
    await expect(scene.migrate(url, { step, settings })).rejects.toMatchObject({
      code: 'foreign_tables',
      happened: `the database ${settings.name}: the schema public has the table users of another program`,
    })
  await scene.migrate(url, { step: 'history' })
  await server.query(url, "insert into headgate.migrations values (999, 'later', 999)")
  for (const step of ['plan', 'history', 'finish'] as const)
    await expect(scene.migrate(url, { step })).rejects.toMatchObject({ code: 'database_newer' })
})

test.skipIf(process.platform !== 'linux')(
  'a running gateway with a folder that has no writable folder beside it is not copied, and the error names a remedy',
  async () => {
    const scene = await openEmpty()
    const gateway = await scene.serve()
    const folder = openSync(scene.dataFolder, 'r')
    onTestFinished(() => closeSync(folder))
    const copy = scene.migrate(state().url, {
      step: 'history',
      dataFolder: `/proc/self/fd/${folder}`,
      backUp: () => downloadBackup(gateway),
    })
    await expect(copy).rejects.toMatchObject({
      code: 'data_folder_unusable',
      advice: expect.stringContaining('--finish'),
    })
  },
)

test('a copy that loses its database reports that in one line, and the next one continues', async () => {
  const scene = await openEmpty()
  const { url, server } = state()
  const gateway = await scene.serve()
  await spend(gateway, spender, 3)
  await gateway[Symbol.asyncDispose]()
  let stopped = Promise.resolve()
  const cut = scene.migrate(url, {
    report(work) {
      if (work === 'request log') stopped = server.stop('crash')
    },
  })
  await expect(cut).rejects.toMatchObject({
    code: 'database_away',
    message: expect.stringMatching(/^the database test_\d+ at /),
  })
  await stopped
  await server.start()
  expect(await scene.migrate(url)).toMatchObject({ copied: { ledgerRows: 0 }, compared: expect.any(Number) })
})
