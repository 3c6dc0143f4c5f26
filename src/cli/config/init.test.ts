import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseYamlConfig } from '../../../test/support/parse-yaml-config.ts'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { readEnvironment } from '../../config/source/environment.ts'
import { providerRegistry } from '../../providers/registry.ts'
import { checkCommand } from './check.ts'
import { initCommand, startingFile } from './init.ts'

function openTerminal() {
  const said = { out: '', errors: '' }
  const terminal = {
    print: (line: string) => {
      said.out += `${line}\n`
    },
    printError: (line: string) => {
      said.errors += `${line}\n`
    },
  }
  return { said, terminal }
}

it('writes a file that "headgate check" accepts without a warning', async () => {
  const path = join(makeTemporaryFolder(), 'headgate.yaml')
  const { said, terminal } = openTerminal()
  expect(initCommand(path, terminal)).toBe(0)
  const checked = openTerminal()
  const parts = {
    flags: { config: path },
    environment: readEnvironment({}),
    workingFolder: '/',
    registry: providerRegistry,
    probe: () => Promise.resolve(false),
  }
  expect(await checkCommand(parts, checked.terminal)).toBe(0)
  expect(checked.said.errors).toBe('')
  expect(said.out).toContain(`headgate --config ${path} check`)
})

it('does not overwrite a file', () => {
  const path = join(makeTemporaryFolder(), 'mine.yaml')
  writeFileSync(path, 'mine')
  const { said, terminal } = openTerminal()
  expect(initCommand(path, terminal)).toBe(1)
  expect(said.errors).toBe(
    `headgate: ${path} exists already; name another file, or move it away [file_exists]\n`,
  )
  expect(readFileSync(path, 'utf8')).toBe('mine')
})

it('explains why a file cannot be written, and leaves no file behind', () => {
  const path = join(makeTemporaryFolder(), 'nowhere', 'headgate.yaml')
  const { said, terminal } = openTerminal()
  expect(initCommand(path, terminal)).toBe(1)
  expect(said.errors).toContain(path)
  expect(existsSync(path)).toBe(false)
})

it('contains only settings that exist, including those in its comments', () => {
  const text = startingFile
    .replaceAll(/^( *)# {0,1}(?=( *)(?:- |[a-z_]+:))/gm, '$1')
    .replace(/^"headgate check".*$/m, '')
  const variables = { HEADGATE_KEY: '0123456789abcdef', OPENAI_API_KEY: 'o', ANTHROPIC_API_KEY: 'a' }
  const { channels, models } = parseYamlConfig(text, variables)
  expect(channels.map(({ name }) => name)).toEqual(['demo', 'openai', 'anthropic', 'local'])
  expect(models).toHaveLength(1)
})
