import { createWriteStream, existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ledgerCheckSchema, rowListSchema } from '../../src/admin/ledger/ledger-contract.ts'
import { usageReportSchema } from '../../src/admin/ledger/usage-contract.ts'
import { registerLedgerCommand } from '../../src/cli/money/ledger.ts'
import { registerUsageCommand } from '../../src/cli/money/usage.ts'
import { startGatewayWithRows } from '../support/ledger-gateway.ts'
import { createLedgerRow, LEDGER_START_MS, nano, requestIdOf } from '../support/ledger-row.ts'
import { testAdminToken } from '../support/start-gateway.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { ledgerFileIn } from '../support/topology/needs.ts'
import { until } from '../support/until.ts'

const HOUR_MS = 3_600_000
const SPAN = ['--since', '2026-11-01', '--until', '2026-12-01']

const rows = [
  createLedgerRow(1, { cost: nano(1_250_000_000), charged: nano(1_250_000_000) }),
  createLedgerRow(2, {
    model: 'slow, "old"',
    tags: { team: 'a,b' },
    endedAtMs: LEDGER_START_MS + 13 * HOUR_MS,
  }),
  createLedgerRow(3, {
    requestId: requestIdOf(2),
    attempt: 2,
    state: 'void',
    cost: nano(0),
    charged: nano(0),
  }),
]
const open = () => startGatewayWithRows(rows, LEDGER_START_MS + 24 * HOUR_MS)

/** Runs `headgate …` in this process. What an export writes goes to the file `output` of the folder. */
async function run(folder: string, ...argv: readonly string[]) {
  let [out, err, code] = ['', '', 0]
  const io = {
    write: (text: string) => {
      out += text
    },
    writeError: (text: string) => {
      err += text
    },
    isTerminal: false,
    setExitCode: (exitCode: number) => {
      code = exitCode
    },
  }
  const output = join(makeTemporaryFolder(), 'output')
  const context = {
    dataFolder: () => folder,
    adminToken: () => testAdminToken,
    io,
    openOutput: () => createWriteStream(output, { flush: true }),
  }
  const program = new Command('headgate').exitOverride()
  registerUsageCommand(program, context)
  registerLedgerCommand(program, context)
  await program.parseAsync(['node', 'headgate', ...argv])
  return { out, err, code, output }
}

let gateway: Awaited<ReturnType<typeof open>>
beforeAll(async () => {
  gateway = await open()
})
// Nothing is open where the suite is skipped.
afterAll(() => gateway?.[Symbol.asyncDispose]())

describe('headgate usage', () => {
  it('prints a table with a line of totals, with aligned amounts in full precision', async () => {
    const { out, err } = await run(gateway.dataFolder, 'usage', '--by', 'key,model,day', ...SPAN)
    expect(err).toBe('')
    expect(out).toBe(
      [
        '2026-11-01T00:00:00.000Z to 2026-12-01T00:00:00.000Z, days of UTC',
        '',
        'KEY    MODEL        DAY         REQUESTS  ATTEMPTS  FAILED  INPUT  CACHE READ  CACHE WRITE  OUTPUT  REASONING  COST USD  CHARGED USD',
        'ci     fast         2026-11-20         1         2       1     14           6            0      10          0  1.250000    1.2500000',
        'ci     slow, "old"  2026-11-21         1         1       0      7           3            0       5          0  0.000001    0.0000011',
        'TOTAL  -            -                  2         3       1     21           9            0      15          0  1.250001    1.2500011',
        '',
      ].join('\n'),
    )
  })

  it('writes CSV with every class of tokens, and the JSON of the admin API', async () => {
    const { out } = await run(gateway.dataFolder, 'usage', '--by', 'model,tag:team', ...SPAN, '--csv')
    const [header = '', ...lines] = out.trimEnd().split('\n')
    expect(header).toMatch(
      /^model,tag:team,requests,attempts,failed,estimated,fresh_input_tokens,.*,tool_calls,cost_usd,charged_usd$/,
    )
    expect(lines).toEqual([
      expect.stringMatching(/^fast,,1,2,1,0,14,6,0,0,10,.*,,1\.25,1\.25$/),
      expect.stringMatching(/^"slow, ""old""","a,b",1,1,0,0,7,3,0,0,5,.*,,0\.000001,0\.0000011$/),
    ])
    const json = await run(gateway.dataFolder, 'usage', '--by', 'key', ...SPAN, '--json')
    const { body } = await gateway.admin('GET', '/usage?by=key&since=2026-11-01&until=2026-12-01')
    expect(usageReportSchema.parse(JSON.parse(json.out))).toEqual(body)
  })

  it('applies the filters and the limit, and says that there is more', async () => {
    const more = await run(gateway.dataFolder, 'usage', '--by', 'model', ...SPAN, '--limit', '1')
    expect(more.out).toMatch(/^fast .*\nTOTAL +2 /m)
    expect(more.err).toContain('more than 1 lines')
    const tagged = await run(gateway.dataFolder, 'usage', ...SPAN, '--tag', 'team=a,b', '--csv')
    expect(tagged.out).toMatch(/\nkey_1,ci,1,1,0,/)
  })

  it('ends with 1 and one line for an invalid dimension', async () => {
    const { err, code } = await run(gateway.dataFolder, 'usage', '--by', 'colour')
    expect([err.split('\n').length, code]).toEqual([2, 1])
    expect(err).toContain('"colour"')
  })
})

describe('headgate ledger', () => {
  it('lists rows, newest last, and the attempts of a request', async () => {
    const { out } = await run(gateway.dataFolder, 'ledger', 'list', '--model', 'fast')
    expect(out.split('\n').map((line) => /^ +(\d)/.exec(line)?.[1])).toEqual([undefined, '1', '3', undefined])
    const one = await run(gateway.dataFolder, 'ledger', 'list', '--request', requestIdOf(2), '--json')
    expect(rowListSchema.parse(JSON.parse(one.out)).data.map(({ number }) => number)).toEqual([2, 3])
  })

  it('exports to standard output, and to a file that only its owner can read', async () => {
    const { output } = await run(gateway.dataFolder, 'ledger', 'export', '--state', 'settled')
    const path = join(makeTemporaryFolder(), 'rows.csv')
    await run(gateway.dataFolder, 'ledger', 'export', path, '--state', 'settled')
    const text = readFileSync(path, 'utf8')
    expect(text.trimEnd().split('\n')).toHaveLength(3)
    expect(readFileSync(output, 'utf8')).toBe(text)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const dash = await run(gateway.dataFolder, 'ledger', 'export', '-', '--state', 'settled')
    const isWritten = () => existsSync(dash.output) && readFileSync(dash.output, 'utf8') === text
    await until('the rows are written', isWritten)
    expect(existsSync('-')).toBe(false)
    const again = await run(gateway.dataFolder, 'ledger', 'export', path)
    expect([again.code, again.err.includes('exists already')]).toEqual([1, true])
    expect(existsSync(`${path}.unfinished`)).toBe(false)
  })

  it('verify ends with 0 if everything adds up, else with 1 and the place, with a server and without', async () => {
    const changed = await open()
    const { dataFolder } = changed
    const good = await run(dataFolder, 'ledger', 'verify')
    expect([good.code, good.out]).toEqual([
      0,
      'The ledger adds up: 3 rows, 0 windows of budgets, 0 attempts in progress.\n',
    ])
    const database = new DatabaseSync(ledgerFileIn(dataFolder))
    database.exec('update ledger set charged = charged + 7 where number = 2')
    database.close()
    const bad = await run(dataFolder, 'ledger', 'verify')
    expect(bad.code).toBe(1)
    expect(bad.out).toMatch(/^The ledger does not add up: \d differences? in 3 rows/)
    expect(bad.out).toContain('2026-11-21T01:00:00.000Z: charged')
    await changed.close(0)
    const offline = await run(dataFolder, 'ledger', 'verify', '--json')
    expect([offline.code, offline.err]).toEqual([1, expect.stringContaining('uses its files directly')])
    expect(ledgerCheckSchema.parse(JSON.parse(offline.out)).adds_up).toBe(false)
    expect((await run(dataFolder, 'usage', '--by', 'model', ...SPAN)).out).toMatch(/^TOTAL +2 /m)
    await changed[Symbol.asyncDispose]()
  })
})
