import { describe, expect, it } from 'vitest'
import { createProgram } from '../main.ts'
import { listCommands } from './help-examples.ts'

const commands = listCommands(createProgram())

/** The help as it is printed, with what follows the list of options. */
function helpOf(command: (typeof commands)[number]['command']): string {
  let text = ''
  const writeOut = (part: string) => {
    text += part
  }
  command.configureOutput({ writeOut }).outputHelp()
  return text
}

describe('the help of every command', () => {
  it.each(commands)(
    'has examples that are valid commands, and lists the global options once: "$words"',
    (each) => {
      const help = helpOf(each.command)
      const [, examples = ''] = /Examples:\n((?: {2}.+\n)+)/.exec(help) ?? []
      expect(examples, 'add examples to src/cli/output/help-examples.ts').not.toBe('')
      for (const line of examples.trimEnd().split('\n')) {
        const words = line.trim().replace(/^(?:[A-Z_]+=\S+ )*headgate ?/, '')
        const isOwn = words === each.words || words.startsWith(`${each.words} `) || each.words === ''
        expect([line, isOwn]).toEqual([line, true])
      }
      // Once in the options of the program itself, once in the line that names them.
      expect(help.replace(examples, '').match(/--data/g)).toHaveLength(1)
    },
  )
})
