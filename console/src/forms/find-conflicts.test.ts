import { describe, expect, it } from 'vitest'
import { copyFields, findConflicts } from './find-conflicts.ts'

describe('findConflicts', () => {
  const initial = { name: 'a', models: ['x'], rate: { rpm: '60', tpm: '' } }

  it('finds a field that two users changed to different values', () => {
    const typed = { ...initial, models: ['x', 'y'], rate: { rpm: '7', tpm: '' } }
    const now = { ...initial, models: ['z'], rate: { rpm: '8', tpm: '' } }
    expect(findConflicts({ initial, typed, now })).toEqual(['models', 'rate.rpm'])
  })

  it('finds none in a field that one user changed, or that both changed alike', () => {
    const typed = { ...initial, name: 'b', rate: { rpm: '7', tpm: '' } }
    const now = { ...initial, name: 'b', models: [], rate: { rpm: '60', tpm: '900' } }
    expect(findConflicts({ initial, typed, now })).toEqual([])
  })
})

it('copyFields copies the named fields alone, those of inner objects among them', () => {
  const values = { models: ['x'], rate: { rpm: '60', tpm: '1' }, name: 'a' }
  const other = { models: ['z'], rate: { rpm: '7', tpm: '2' }, name: 'b' }
  expect(copyFields(values, ['models', 'rate.rpm'], other)).toEqual({
    models: ['z'],
    rate: { rpm: '7', tpm: '1' },
    name: 'a',
  })
})
