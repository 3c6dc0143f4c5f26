import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseYamlConfig } from '../../../test/support/parse-yaml-config.ts'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'

test('the value of a variable cannot change the structure, and a doubled dollar sign becomes one', () => {
  const variables = { NAME: `x: [1]\ny: \${OTHER}` }
  expect(parseYamlConfig(`data: "\${NAME}"`, variables).input.data).toBe(`x: [1]\ny: \${OTHER}`)
  expect(parseYamlConfig(`data: "$\${NAME} \${A:-b}\${C:-}"`, variables).input.data).toBe(`\${NAME} b`)
})

test('a file is replaced by its text without trailing line breaks, and its path is relative to the configuration file', () => {
  const folder = makeTemporaryFolder()
  writeFileSync(join(folder, 'name'), 'models\r\n\n')
  const text = `public_url: "https://\${file:name}.example.com"\ndata: "\${file:${join(folder, 'name')}}"`
  const { input, fileTexts } = parseYamlConfig(text, {}, folder)
  expect(input).toMatchObject({ public_url: 'https://models.example.com', data: 'models' })
  expect(fileTexts).toEqual(['models'])
})

test.each([
  ['missing', () => undefined, 'does not exist'],
  ['empty', (path: string) => writeFileSync(path, '\n'), 'is empty'],
  ['too large', (path: string) => writeFileSync(path, 'x'.repeat(65 * 1024)), 'is larger than 64 KB'],
  ['no text', (path: string) => writeFileSync(path, Buffer.of(0xff, 0xfe)), 'is not UTF-8 text'],
  ['a folder', (path: string) => mkdirSync(path), 'is no regular file'],
  ['a pipe', (path: string) => void execFileSync('mkfifo', [path]), 'is no regular file'],
])('a file that is %s is a problem with line and column', (_name, prepare, reason) => {
  const folder = makeTemporaryFolder()
  const path = join(folder, 'secret')
  prepare(path)
  const parse = () => parseYamlConfig(`listen: 127.0.0.1:0\ndata: \${file:secret}`, {}, folder)
  expect(parse).toThrow(`headgate.yaml:2:7: data: the file ${path} ${reason}`)
})
