import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createProgram } from '../main.ts'
import { listCommands } from '../output/help-examples.ts'
import { listCompletions } from './list-completions.ts'
import { type Shell, writeCompletion } from './write-completion.ts'

const levels = listCompletions(createProgram())

function writeScript(shell: Shell): string {
  const path = join(makeTemporaryFolder(), `headgate.${shell}`)
  writeFileSync(path, writeCompletion(shell, levels))
  return path
}

const isInstalled = (shell: string) => spawnSync(shell, ['-c', 'true']).error === undefined
const split = (text: string) => text.split(/\s+/).filter((word) => word !== '')

/** The words that bash offers behind a line. */
function askBash(line: readonly string[]): readonly string[] {
  const code = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _headgate; echo "\${COMPREPLY[@]}"`
  return split(execFileSync('bash', ['-c', code, 'bash', writeScript('bash'), ...line], { encoding: 'utf8' }))
}

/** The words that the function of zsh adds; zsh itself chooses among them those that fit. */
function askZsh(line: readonly string[]): readonly string[] {
  const code = `compdef() { true }; compadd() { print -r -- "\${@[2,-1]}" }; _files() { print FILES }
source "$1"; shift; words=("$@"); CURRENT=$#; _headgate`
  return split(
    execFileSync('zsh', ['-f', '-c', code, 'zsh', writeScript('zsh'), ...line], { encoding: 'utf8' }),
  )
}

function askFish(line: string): readonly string[] {
  const code = `source ${writeScript('fish')}; complete --do-complete ${JSON.stringify(line)}`
  const output = execFileSync('fish', ['--no-config', '-c', code], { encoding: 'utf8' })
  return output.split('\n').flatMap((each) => (each === '' ? [] : [each.split('\t')[0] ?? '']))
}

describe('the levels of completion', () => {
  it('cover every command, each with its own options and the global options', () => {
    const known = listCommands(createProgram()).map(({ words }) => words)
    expect(levels.map(({ path }) => path).toSorted()).toEqual(known.toSorted())
    const create = levels.find(({ path }) => path === 'keys create')
    const words = create?.options.map(({ word }) => word)
    expect(words).toEqual(expect.arrayContaining(['--name', '--models', '--json', '--data']))
  })
})

describe.runIf(isInstalled('bash'))('completion in bash', () => {
  it('offers commands, subcommands, options and option values', () => {
    expect(askBash(['headgate', 'bud'])).toEqual(['budgets'])
    expect(askBash(['headgate', '--data', 'keys', 'keys', 'rot'])).toEqual(['rotate'])
    expect(askBash(['headgate', 'keys', 'create', '--na'])).toEqual(['--name'])
    expect(askBash(['headgate', 'traffic', '--by', 'm'])).toEqual(['model'])
    expect(askBash(['headgate', 'completion', ''])).toEqual(expect.arrayContaining(['--help']))
  })

  it('leaves files and names to the shell', () => {
    expect(askBash(['headgate', 'serve', '--config', ''])).toEqual([])
  })
})

describe.runIf(isInstalled('zsh'))('completion in zsh', () => {
  it('offers commands, subcommands and option values', () => {
    expect(askZsh(['headgate', ''])).toEqual(expect.arrayContaining(['serve', 'budgets', '--data']))
    expect(askZsh(['headgate', 'budgets', ''])).toEqual(expect.arrayContaining(['raise', 'forecast']))
    expect(askZsh(['headgate', 'traffic', '--by', ''])).toEqual(expect.arrayContaining(['hour', 'channel']))
    expect(askZsh(['headgate', 'serve', '--config', ''])).toEqual(['FILES'])
  })
})

describe.runIf(isInstalled('fish'))('completion in fish', () => {
  it('offers commands, subcommands and option values', () => {
    expect(askFish('headgate bud')).toEqual(['budgets'])
    expect(askFish('headgate keys rot')).toEqual(['rotate'])
    expect(askFish('headgate traffic --by mod')).toContain('model')
  })
})

describe('completion in PowerShell', () => {
  it('lists the words of every level in one table', () => {
    const script = writeCompletion('powershell', levels)
    expect(script).toContain("'budgets' = 'list show ")
    expect(script).toContain("'traffic|--by' = 'hour day ")
    expect(script.match(/^ {4}'[\w -]*' = '/gm)?.length).toBe(levels.length)
  })
})
