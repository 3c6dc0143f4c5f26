import { expect, it } from 'vitest'
import { openCaller } from '../../../test/support/key-terms.ts'
import { BodyBytes } from '../../kit/json/body-bytes.ts'
import { chatFormat } from '../../wire/chat/format.ts'
import { findTags } from './find-tags.ts'

const body = {
  model: 'm',
  messages: [{ role: 'user', content: 'Hi' }],
  metadata: { team: 'ads', feature: 'body' },
  safety_identifier: 'alice',
}

function tagsOf(caller: Partial<typeof openCaller>, headers: Record<string, string> = {}, more: object = {}) {
  const scanned = chatFormat.scanRequest(BodyBytes.from([Buffer.from(JSON.stringify({ ...body, ...more }))]))
  return findTags({ caller: { ...openCaller, ...caller }, headers }, chatFormat, scanned)
}

it('a key that allows no tags has its own tags alone', () => {
  expect(tagsOf({ tags: { team: 'search' } }, { 'x-headgate-tags': 'a=b' })).toEqual({ team: 'search' })
})

it('tags of the header override those of the body, and tags of the key override both', () => {
  const given = tagsOf(
    { callerTags: true, tags: { team: 'search' } },
    { 'x-headgate-tags': 'team=mine, feature=header' },
  )
  expect(given).toEqual({ team: 'search', feature: 'header', end_user: 'alice' })
})

it('the customer is named however many tags a request has', () => {
  const metadata = Object.fromEntries(Array.from({ length: 64 }, (_, index) => [`t${index}`, 'x']))
  const given = tagsOf({ callerTags: true }, {}, { metadata })
  expect(Object.keys(given)).toHaveLength(64)
  expect(given).toMatchObject({ end_user: 'alice' })
})

it('a header that is not a list of tags is refused', () => {
  expect(() => tagsOf({ callerTags: true }, { 'x-headgate-tags': 'nothing' })).toThrow('x-headgate-tags')
})
