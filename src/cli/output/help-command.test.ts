import { CommanderError } from 'commander'
import { describe, expect, it } from 'vitest'
import { createProgram } from '../main.ts'

/** Runs `headgate help …` and returns the printed text and the exit code. */
function help(...words: readonly string[]): { readonly text: string; readonly code: number } {
  let text = ''
  const write = (part: string) => {
    text += part
  }
  const program = createProgram()
  const all = [program]
  for (const each of all) {
    each.exitOverride().configureOutput({ writeOut: write, writeErr: write })
    all.push(...each.commands)
  }
  try {
    program.parse(['node', 'headgate', 'help', ...words])
  } catch (error) {
    if (error instanceof CommanderError) return { text, code: error.exitCode }
    throw error
  }
  throw new Error('the help does not end the command')
}

describe('headgate help', () => {
  it.each([
    [[], 'Usage: headgate [options] [command]'],
    [['keys'], 'Usage: headgate keys [options] [command]'],
    [['keys', 'create'], 'Usage: headgate keys create [options]'],
  ])('prints the help of the command with all of its words: %j', (words, usage) => {
    const { text, code } = help(...words)
    expect([text.split('\n')[0], code]).toEqual([usage, 0])
  })

  it('fails for a command that does not exist', () => {
    const { text, code } = help('keys', 'nothing')
    expect([text, code]).toEqual([
      'error: there is no command "keys nothing"; "headgate --help" lists the commands\n',
      1,
    ])
  })
})
