import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { openQuestions } from './ask-person.ts'

async function choose(isTTY: boolean, lines: readonly string[]) {
  const input = Object.assign(new PassThrough(), { isTTY })
  const output = new PassThrough()
  const shown = text(output)
  const questions = openQuestions(input, output)
  const left = [...lines]
  // A person types once there is a question.
  output.on('data', (chunk) => {
    if (/: $/.test(String(chunk))) input.write(`${left.shift()}\n`)
  })
  const secret = await questions.askNewSecret('Password: ')
  questions.close()
  output.end()
  return { secret, shown: await shown }
}

it('a secret typed at a terminal is requested until two inputs match, and is never shown', async () => {
  const { secret, shown } = await choose(true, [
    'a typo here',
    'correct horse',
    'correct horse',
    'correct horse',
  ])
  expect(secret).toBe('correct horse')
  expect(shown).toContain('These were not the same.')
  expect(shown).not.toMatch(/typo|horse/)
})

it('a secret piped to standard input is one line', async () => {
  expect((await choose(false, ['correct horse'])).secret).toBe('correct horse')
})
