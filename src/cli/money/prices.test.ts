import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { describe, expect, it, test } from 'vitest'
import { canMountDisks, openSmallDisk } from '../../../test/support/small-disk.ts'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { readEnvironment } from '../../config/source/environment.ts'
import { openPriceTables } from '../../config/source/open-price-tables.ts'
import { providerRegistry } from '../../providers/registry.ts'
import { registerPricesCommand } from './prices.ts'

const yaml = `
channels:
  - { name: a, provider: openai, api_key: k, models: [gpt-4o, my-own], prices: { gpt-4o: { input: 2, output: 8 } } }
  - { name: b, provider: openai, api_key: k, models: [gpt-5] }
  - { name: c, provider: ollama, models: [llama3.2] }
models:
  gpt-5: { price: { input: 1, output: 9, effective_from: 2027-01-01 } }`

interface Ran {
  readonly out: string
  readonly error: string
  readonly exitCode: number
}

/** Runs `headgate prices …` on a folder without a server. */
async function run(folder: string, ...argv: readonly string[]): Promise<Ran> {
  let [out, error, exitCode] = ['', '', 0]
  const program = new Command('headgate').exitOverride()
  registerPricesCommand(program, {
    dataFolder: () => join(folder, 'data'),
    adminToken: () => undefined,
    loadInput: () => ({
      flags: { data: join(folder, 'data') },
      environment: readEnvironment({}),
      workingFolder: folder,
      registry: providerRegistry,
      probe: async () => false,
    }),
    io: {
      write: (text) => {
        out += text
      },
      writeError: (text) => {
        error += text
      },
      isTerminal: false,
      setExitCode: (code) => {
        exitCode = code
      },
    },
  })
  await program.parseAsync(['node', 'headgate', 'prices', ...argv])
  return { out, error, exitCode }
}

function folderWith(files: Readonly<Record<string, unknown>> = {}): string {
  const folder = makeTemporaryFolder()
  mkdirSync(join(folder, 'data'))
  writeFileSync(join(folder, 'headgate.yaml'), yaml)
  for (const [name, value] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(value))
  return folder
}

describe('headgate prices list', () => {
  it('lists every target with its price and the source of the price', async () => {
    const { out, error } = await run(folderWith(), 'list', '--at', '2026-12-31')
    expect(error).toContain('no server runs, so these are the prices of the configuration file')
    const rows = out.split('\n').map((line) => line.split(/ {2,}/))
    expect(rows[0]).toEqual(['MODEL', 'TARGET', 'INPUT', 'CACHED', 'OUTPUT', 'SOURCE', 'SINCE', 'VERSION'])
    expect(rows.slice(1, 5).map((row) => row.slice(0, 7))).toEqual([
      ['gpt-4o', 'a/gpt-4o', '2', '-', '8', 'channel', '-'],
      ['gpt-5', 'b/gpt-5', '1.25', '0.125', '10', 'table', '-'],
      ['llama3.2', 'c/llama3.2', '0', '-', '0', 'free', '-'],
      ['my-own', 'a/my-own', '-', '-', '-', 'none', '-'],
    ])
  })

  it('lists the prices at another time', async () => {
    const { out } = await run(folderWith(), 'list', 'gpt-5', '--at', '2027-01-01')
    expect(out).toMatch(
      /gpt-5 +b\/gpt-5 +1 +- +9 +model +2027-01-01 +models\/gpt-5@2027-01-01#[0-9a-f]{8}\n$/,
    )
  })

  it('lists only matching models', async () => {
    const models = async (...argv: readonly string[]) => {
      const { out } = await run(folderWith(), 'list', '--json', ...argv)
      const { data } = JSON.parse(out) as { data: { model: string }[] }
      return data.map(({ model }) => model)
    }
    expect(await models('--source', 'none')).toEqual(['my-own'])
    expect(await models('GPT')).toEqual(['gpt-4o', 'gpt-5'])
    expect(await models('a/')).toEqual(['gpt-4o', 'my-own'])
  })

  it('refuses an invalid time', async () => {
    const { error, exitCode } = await run(folderWith(), 'list', '--at', 'tomorrow')
    expect([error, exitCode]).toEqual([expect.stringContaining('must be a date'), 1])
  })
})

describe('headgate prices show', () => {
  it('shows which price applies, why, and which other prices exist', async () => {
    const { out } = await run(folderWith(), 'show', 'gpt-5', '--at', '2026-12-31')
    expect(out).toContain('b/gpt-5\n')
    expect(out).toMatch(/ {2}openai\/gpt-5@\S+: the price table; the configuration has no price for it\n/)
    expect(out).toContain('    flex: {input: 0.625, cached_input: 0.0625, output: 5}\n')
    expect(out).toMatch(/ {2}not in force: models\/gpt-5@\S+, from 2027-01-01 on: the model's price/)
    expect(out).toContain('reads at most 272000 tokens, and writes 128000')
  })

  it('fails for a model that is not served', async () => {
    const { error, exitCode } = await run(folderWith(), 'show', 'gpt-9')
    expect([error, exitCode]).toEqual([expect.stringContaining('no channel serves "gpt-9"'), 1])
  })
})

const file = {
  sample_spec: { input_cost_per_token: 0 },
  'gpt-4o': {
    litellm_provider: 'openai',
    mode: 'chat',
    input_cost_per_token: 1e-6,
    output_cost_per_token: 4e-6,
  },
  'gpt-new': {
    litellm_provider: 'openai',
    mode: 'chat',
    input_cost_per_token: 2e-6,
    output_cost_per_token: 4e-6,
  },
}

describe('headgate prices diff and update', () => {
  it('diff shows what a file changes and changes nothing', async () => {
    const folder = folderWith({ 'new.json': file })
    const { out } = await run(folder, 'diff', join(folder, 'new.json'))
    expect(out).toMatch(/^changed {2}openai\/gpt-4o {2}2\.5 in, 10 out and 2 more -> 1 in, 4 out$/m)
    expect(out).toMatch(/^added {4}openai\/gpt-new {2}none -> 2 in, 4 out$/m)
    expect(out).toMatch(/\n1 added, 1 changed, \d+ missing\n$/)
    // An update keeps the prices of models that the file does not have.
    expect(out).toMatch(/\nmissing {2}openai\/gpt-4o-mini {2}keeps 0\.15 in, 0\.6 out/)
    expect(openPriceTables(join(folder, 'data')).tables).toHaveLength(1)
  })

  it('a byte order mark before the JSON, as programs on Windows write it, is no part of it', async () => {
    const folder = folderWith()
    writeFileSync(join(folder, 'new.json'), `\uFEFF${JSON.stringify(file)}`)
    expect((await run(folder, 'diff', join(folder, 'new.json'))).out).toMatch(/\n1 added, 1 changed, /)
  })

  it('update applies a file from a given day on and keeps the earlier prices', async () => {
    const folder = folderWith({ 'new.json': file })
    const path = join(folder, 'new.json')
    const updated = await run(folder, 'update', path, '--date', '2031-01-01', '--source', 'litellm 9')
    expect(updated.out).toContain(`${join(folder, 'data', 'prices.json')} is written`)
    const versions = async (at: string) => (await run(folder, 'show', 'my-own', '--at', at)).out
    expect(await versions('2031-01-01')).toContain('no price is known')
    const [own] = openPriceTables(join(folder, 'data')).tables
    expect(own).toMatchObject({ source: 'litellm 9', date: '2031-01-01' })
    expect(own?.find('openai', 'gpt-4o')?.versions.map(({ from }) => from)).toEqual([
      expect.stringMatching(/^2026-/),
      '2031-01-01',
    ])
    expect(own?.find('anthropic', 'claude-haiku-4-5')?.versions).toHaveLength(1)
    const again = await run(folder, 'update', join(folder, 'data', 'prices.json'))
    expect(again.out).toContain('0 added, 0 changed, 0 missing')
    const asJson = await run(folder, 'update', join(folder, 'data', 'prices.json'), '--json')
    expect(JSON.parse(asJson.out)).toEqual({ file: join(folder, 'data', 'prices.json'), data: [] })
  })

  test.each([
    [
      'an older one',
      { date: '2001-01-01', source: 'old', licence: 'MIT', models: [] },
      'it would have no effect',
    ],
    [
      'one of other providers',
      { x: { litellm_provider: 'nobody', input_cost_per_token: 1 } },
      'has no model of a known provider',
    ],
    ['a list', [], 'must be a JSON object'],
    ['a broken table', { models: [] }, 'the table'],
  ])('update refuses an unsuitable file: %s', async (_, value, reason) => {
    const folder = folderWith({ 'new.json': value })
    const { error, exitCode } = await run(folder, 'update', join(folder, 'new.json'))
    expect([error, exitCode]).toEqual([expect.stringContaining(reason), 1])
    expect(openPriceTables(join(folder, 'data')).tables).toHaveLength(1)
  })

  it('update refuses to replace a damaged table, and names what helps', async () => {
    const folder = folderWith({ 'new.json': file })
    const own = join(folder, 'data', 'prices.json')
    writeFileSync(own, '{')
    const { error, exitCode } = await run(folder, 'update', join(folder, 'new.json'))
    expect(exitCode).toBe(1)
    expect(error).toContain(`${own} is no price table that can be read`)
    expect(error).toContain('so its prices would be lost; correct it or delete it, and run the command again')
    rmSync(own)
    expect((await run(folder, 'update', join(folder, 'new.json'))).exitCode).toBe(0)
  })

  it.each(['soon', '2031-02-30'])('update refuses an invalid day: %s', async (date) => {
    const folder = folderWith({ 'new.json': file })
    const { error } = await run(folder, 'update', join(folder, 'new.json'), '--date', date)
    expect(error).toContain('--date must be a day, such as 2027-01-31')
  })

  it('update writes no table that cannot be read afterwards', async () => {
    const dear = { ...file['gpt-new'], input_cost_per_token: 100 }
    const folder = folderWith({ 'new.json': { ...file, 'gpt-new': dear } })
    const { error, exitCode } = await run(folder, 'update', join(folder, 'new.json'))
    expect([error, exitCode]).toEqual([expect.stringContaining('cannot be read afterwards'), 1])
    expect(openPriceTables(join(folder, 'data'))).toMatchObject({ tables: [{}], warnings: [] })
  })

  it.runIf(canMountDisks)(
    'update on a full disk keeps the table before it, and says which file',
    async () => {
      const folder = folderWith({ 'new.json': file })
      using disk = openSmallDisk(1)
      disk.fillUntil(100_000)
      const dataFolder = join(disk.folder, 'data')
      mkdirSync(dataFolder)
      const { error, exitCode } = await run(disk.folder, 'update', join(folder, 'new.json'))
      const path = join(dataFolder, 'prices.json')
      expect([error, exitCode]).toEqual([expect.stringContaining(`${path} cannot be written: ENOSPC`), 1])
      expect(readdirSync(dataFolder)).toEqual([])
    },
  )

  it('update writes each model on its own line', async () => {
    const folder = folderWith({ 'new.json': file })
    await run(folder, 'update', join(folder, 'new.json'), '--date', '2031-01-01')
    const lines = readFileSync(join(folder, 'data', 'prices.json'), 'utf8').split('\n')
    expect(lines.filter((line) => line.includes('"gpt-new"'))).toHaveLength(1)
  })
})
