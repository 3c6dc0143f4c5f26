import { expect, test } from 'vitest'
import { plainLine, plainText } from './plain-text.ts'

test('terminal control characters are shown as escapes, and everything else unchanged', () => {
  const hostile = 'a\u0000\u001b[31m\u009b2J\r\u007f\u202e\u2066\u200f\u2028z'
  expect(plainText(hostile)).toBe('a\\u0000\\u001b[31m\\u009b2J\\u000d\\u007f\\u202e\\u2066\\u200f\\u2028z')
  expect(plainText('Zürich 東京 👩‍💻\tone\ntwo')).toBe('Zürich 東京 👩‍💻\tone\ntwo')
})

test('line breaks in a line are escaped', () => {
  expect(plainLine('a\n  forged: \tb')).toBe('a\\u000a  forged: \\u0009b')
})

test('escaped JSON keeps its meaning', () => {
  const value = { text: 'a\u009b\u202eb' }
  expect(JSON.parse(plainText(JSON.stringify(value)))).toEqual(value)
})
