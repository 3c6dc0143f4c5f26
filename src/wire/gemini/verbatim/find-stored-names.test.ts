import { expect, it } from 'vitest'
import { findStoredNames } from './find-stored-names.ts'

function idsIn(fileUri: string): readonly string[] {
  const parts = [{ fileData: { fileUri } }]
  return findStoredNames(Buffer.from(JSON.stringify({ contents: [{ parts }] }))).map(({ id }) => id)
}

it.each([
  'files/abc-1',
  'files/abc-1:download',
  'https://generativelanguage.googleapis.com/v1beta/files/abc-1',
  'https://gateway.example/gemini/v1beta/files/abc-1?alt=media',
  'https://gateway.example/v1beta/files/abc-1#\n',
])('the name of a stored file is found in %j', (uri) => {
  expect(idsIn(uri)).toEqual(['abc-1'])
})

it.each(['', 'files/', 'files/a.pdf', 'https://example.com/files/abc-1', 'gs://bucket/v1/files/abc-1'])(
  'no stored file is named by %j',
  (uri) => {
    expect(idsIn(uri)).toEqual([])
  },
)

it('the search for a name costs linear time, however often an address repeats its path', () => {
  const before = process.cpuUsage()
  expect(idsIn(`http://host/${'v1/files/a/'.repeat(10_000)}\n!`)).toEqual(['a'])
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000)
})
