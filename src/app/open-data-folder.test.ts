import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { systemRandom } from '../kit/random/random.ts'
import { systemClock } from '../kit/time/clock.ts'
import { openDataFolder } from './open-data-folder.ts'

const open = (folder: string, pepper?: string) =>
  openDataFolder(folder, { clock: systemClock, random: systemRandom, pepper }).openKeys(undefined)

async function makeFolder(...names: readonly string[]): Promise<string> {
  const folder = makeTemporaryFolder()
  const keys = await open(folder)
  for (const name of names) await keys.operations.create({ name })
  await keys.close()
  return folder
}

test('a folder with the pepper of another is refused, since no key would work, until it has its own again', async () => {
  const [folder, other] = [await makeFolder('ci'), await makeFolder()]
  const pepper = join(folder, 'pepper')
  const own = readFileSync(pepper)
  writeFileSync(pepper, readFileSync(join(other, 'pepper')))
  for (const _again of [1, 2])
    await expect(open(folder)).rejects.toThrow(
      `${pepper} is not the one that the keys in headgate.db were stored with; restore that one from a copy`,
    )
  writeFileSync(pepper, own)
  await (await open(folder)).close()
})

test('a folder without keys takes another pepper', async () => {
  const [folder, other] = [await makeFolder(), await makeFolder()]
  writeFileSync(join(folder, 'pepper'), readFileSync(join(other, 'pepper')))
  await (await open(folder)).close()
})

test('a pepper of the environment is the one of a new folder, replaces its lost file, and is refused where it is another', async () => {
  const [folder, given, other] = [makeTemporaryFolder(), 'ab'.repeat(32), 'cd'.repeat(32)]
  const file = join(folder, 'pepper')
  const first = await open(folder, given)
  await first.operations.create({ name: 'ci' })
  await first.close()
  expect(readFileSync(file, 'utf8')).toBe(`${given}\n`)
  await expect(open(folder, other)).rejects.toThrow(`HEADGATE_PEPPER is not the pepper in ${file}`)
  rmSync(file)
  await expect(open(folder, other)).rejects.toThrow('HEADGATE_PEPPER is not the one that the keys in')
  await (await open(folder, given)).close()
  expect(readFileSync(file, 'utf8')).toBe(`${given}\n`)
})

test('a database that lost all its bytes is refused, since the start would go on without its keys', async () => {
  const folder = await makeFolder('ci')
  const file = join(folder, 'headgate.db')
  truncateSync(file)
  await expect(open(folder)).rejects.toThrow(
    `${file} is empty, although ${join(folder, 'pepper')} shows that it had keys`,
  )
})

test('a ledger that lost all its bytes is refused where keys were used, since budgets would forget what was spent', async () => {
  const folder = await makeFolder('ci')
  const file = join(folder, 'ledger.db')
  writeFileSync(file, '')
  // A first start may end before the ledger has tables.
  const keys = await open(folder)
  for (const { id } of keys.registry.keys()) keys.registry.uses.record(id, 1)
  await keys.saveUses()
  await keys.close()
  await expect(open(folder)).rejects.toThrow(`${file} is empty, although keys in headgate.db were used`)
})
