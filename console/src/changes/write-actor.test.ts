import { beforeAll, expect, it } from 'vitest'
import { speak } from '../language/language.ts'
import { readAuthor, writeAuthor, writeCredential } from './write-actor.ts'

// Node has no page, whose language is set.
Object.assign(globalThis, { document: { documentElement: {} } })

beforeAll(() => speak('zh'))

it('a service and its token are named in Chinese', () => {
  expect(writeAuthor({ author: { type: 'service', name: 'ci' } })).toBe('服务 ci')
  expect(writeCredential({ credential: { type: 'token', name: 'ci' } })).toBe('令牌 ci')
})

it.each(['命令行', '服务 ci', ' 命令行 '])(
  'a user whose name is the Chinese text %j is said to be a user',
  (name) => {
    expect(writeAuthor({ author: { type: 'user', name } })).toBe(`用户 ${name}`)
  },
)

it('a user with any other name has that name alone', () => {
  expect(writeAuthor({ author: { type: 'user', name: 'ann' } })).toBe('ann')
})

it.each([
  ['命令行', 'command line'],
  ['SIGHUP 信号', 'signal SIGHUP'],
  ['服务 CI', 'service CI'],
  ['用户 命令行', '命令行'],
  ['admin token', 'admin token'],
  ['Ann', 'Ann'],
])('the author typed as %s is stored as %s', (typed, stored) => {
  expect(readAuthor(typed)).toBe(stored)
})

it('an author that is no person is named in Chinese', () => {
  expect(writeAuthor({ author: { type: 'command_line' } })).toBe('命令行')
  expect(writeCredential({ credential: { type: 'data_folder' } })).toBe('数据目录的访问权')
})
