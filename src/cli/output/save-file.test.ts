import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
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

it('a file that cannot be created is an error that says what to do', async () => {
  const folder = makeTemporaryFolder()
  async function* write() {
    yield Buffer.from('one\n')
  }
  await expect(saveFile(join(folder, 'absent', 'rows.jsonl'), write())).rejects.toMatchObject({
    code: 'file_unwritable',
    message: expect.stringContaining('rows.jsonl.unfinished cannot be written (ENOENT)'),
  })
  const path = join(folder, 'rows.jsonl')
  writeFileSync(`${path}.unfinished`, 'half of an earlier run')
  await expect(saveFile(path, write())).rejects.toMatchObject({
    code: 'file_exists',
    advice: expect.stringContaining('if that command was interrupted, delete the file'),
  })
  expect(readFileSync(`${path}.unfinished`, 'utf8')).toBe('half of an earlier run')
})
