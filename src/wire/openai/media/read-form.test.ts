import { expect, it } from 'vitest'
import type { FormPart } from '../../../canonical/uploads/uploaded-form.ts'
import { readFormFields } from './read-form.ts'

type Sent = readonly [name: string, value: string]

function fieldsOf(sent: readonly Sent[]): unknown {
  const parts = sent.map(([name, value]): FormPart => ({ type: 'text', name, value }))
  const body = readFormFields({ parts, bytes: 0, digest: undefined }, { n: 'number' })
  return JSON.parse(body.text())
}

it('reads lists, objects and typed texts', () => {
  const sent: Sent[] = [
    ['n', '2'],
    ['include[]', 'a'],
    ['include[]', 'b'],
    ['chunking[type]', 'x'],
    ['chunking[size]', '1'],
  ]
  expect(fieldsOf(sent)).toEqual({ n: 2, include: ['a', 'b'], chunking: { type: 'x', size: '1' } })
})

const twice: readonly (readonly [string, readonly Sent[]])[] = [
  [
    'as a text twice',
    [
      ['n', '1'],
      ['n', '10'],
    ],
  ],
  [
    'as a text and a list',
    [
      ['n', '1'],
      ['n[]', '10'],
    ],
  ],
  [
    'as a list and a text',
    [
      ['n[]', '10'],
      ['n', '1'],
    ],
  ],
  [
    'as a text and an object',
    [
      ['n', '1'],
      ['n[a]', '10'],
    ],
  ],
  [
    'as an object and a list',
    [
      ['n[a]', '1'],
      ['n[]', '10'],
    ],
  ],
  [
    'with one name of an object twice',
    [
      ['n[a]', '1'],
      ['n[a]', '10'],
    ],
  ],
]

it.each(twice)('refuses a field that is sent %s', (_how, sent) => {
  expect(() => fieldsOf(sent)).toThrow(
    expect.objectContaining({ failure: expect.objectContaining({ code: 'duplicate_field' }) }),
  )
})
