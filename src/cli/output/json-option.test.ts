import { expect, test } from 'vitest'
import { createProgram } from '../main.ts'
import { listCommands } from './help-examples.ts'

/** Commands that print nothing a program would read, and why. */
const withoutJson: Readonly<Record<string, string>> = {
  serve: 'its log is JSON already',
  restart: 'its exit code says it',
  init: 'it writes a file',
  completion: 'it prints a script for a shell',
  'captures export': 'it prints an object on each line',
  'ledger export': '--format jsonl prints an object on each line',
  'chaos upstream': 'it serves until it is ended',
  'chaos proxy': 'the same',
  'chaos list': 'a text to read',
  'chaos show': 'it prints a script in JSON',
}

test('every command supports --json, except commands without data to print', () => {
  const leaves = listCommands(createProgram()).filter(
    ({ words, command }) => command.commands.length === 0 || words === 'logs',
  )
  expect(leaves.length).toBeGreaterThan(60)
  const without = leaves.filter(({ command }) => !command.options.some(({ long }) => long === '--json'))
  expect(without.map(({ words }) => words).toSorted()).toEqual(Object.keys(withoutJson).toSorted())
})
