import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { saveFile } from './save-file.ts'

it('a file that only its owner can read has its name once it is complete', async () => {
  const folder = makeTemporaryFolder()
  const path = join(folder, 'rows.jsonl')
  async function* write() {
    yield Buffer.from('one\n')
    expect(readdirSync(folder)).toEqual(['rows.jsonl.unfinished'])
    yield Buffer.from('two\n')
  }
  await saveFile(path, write())
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n')
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

it('nothing is left of a file whose source breaks off', async () => {
  const folder = makeTemporaryFolder()
  async function* breakOff() {
    yield Buffer.from('one\n')
    throw new Error('the connection broke off')
  }
  await expect(saveFile(join(folder, 'rows.jsonl'), breakOff())).rejects.toThrow('broke off')
  expect(readdirSync(folder)).toEqual([])
})
