import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { openSourceFolder } from './source-folder.ts'

/** A folder whose `headgate.db` is in the mode of a gateway. */
function makeFolder(): string {
  const folder = makeTemporaryFolder()
  const database = new DatabaseSync(join(folder, 'headgate.db'))
  database.exec('pragma journal_mode = wal; create table migrations (number integer)')
  database.close()
  return folder
}

test('a folder in which SQLite cannot write is refused with the file and what to do', () => {
  const folder = makeFolder()
  mkdirSync(join(folder, 'headgate.db-wal'))
  expect(() => openSourceFolder(folder)).toThrow(
    `${join(folder, 'headgate.db')} cannot be read: unable to open database file; SQLite writes files beside a database that it reads, so copy the folder to where this user may write, and name the copy with --from`,
  )
})

test('a damaged database is refused with its name', () => {
  const folder = makeFolder()
  writeFileSync(join(folder, 'headgate.db'), 'x'.repeat(8_192))
  expect(() => openSourceFolder(folder)).toThrow(
    `${join(folder, 'headgate.db')} cannot be read: file is not a database; restore it from a copy`,
  )
})

test('a database without tables, such as one that lost its log, is refused with its name', () => {
  const folder = makeTemporaryFolder()
  writeFileSync(join(folder, 'headgate.db'), '')
  expect(() => openSourceFolder(folder)).toThrow(
    `${join(folder, 'headgate.db')} has none of the tables of Headgate; restore it from a copy`,
  )
})
