import type { Completion, CompletionChoice, CompletionCreateParams } from 'openai/resources/completions'
import { expect, it } from 'vitest'
import { choiceFields, replyFields, requestFields } from './request-fields.ts'

type NamesOf<Union> = Union extends unknown ? keyof Union & string : never

/** Fails to compile where the table lacks a name of the SDK's type, or has one that the type lacks. */
function holds<Union>() {
  return <const Table extends Readonly<Record<NamesOf<Union>, string>>>(
    table: Table & { readonly [Name in Exclude<keyof Table, NamesOf<Union>>]: never },
  ): number => Object.keys(table).length
}

it('the tables have every field of the official types', () => {
  const counts = [
    holds<CompletionCreateParams>()(requestFields),
    holds<Completion>()(replyFields),
    holds<CompletionChoice>()(choiceFields),
  ]
  expect(Math.min(...counts)).toBeGreaterThan(3)
})
