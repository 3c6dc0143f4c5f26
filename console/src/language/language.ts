import { lastingStorage } from '../browser/browser-storage.ts'
import type { Catalogue, MessageKey } from './en/messages.ts'

export const languages = ['en', 'zh'] as const
export type Language = (typeof languages)[number]

/** The values of a message's `{names}`. `count` selects between the singular and the plural form. */
export type MessageValues = Readonly<Record<string, string | number>>

/** The locale tag of each language, for numbers and times. */
const tags = { en: 'en', zh: 'zh-CN' } as const

interface Spoken {
  readonly language: Language
  readonly catalogue: Catalogue
}

let spoken: Spoken | undefined

/** Loads the texts of a language and uses it from then on. */
export async function speak(language: Language): Promise<void> {
  const catalogue =
    language === 'zh'
      ? (await import('./zh/messages.ts')).chineseMessages
      : (await import('./en/messages.ts')).englishMessages
  spoken = { language, catalogue }
  document.documentElement.lang = tags[language]
}

export function rememberLanguage(language: Language): void {
  lastingStorage.write('language', language)
}

/** The language chosen in this browser, or else the browser's first language that the console has. */
export function chooseLanguage(): Language {
  const chosen = lastingStorage.read('language')
  const asked = [...(chosen === undefined ? [] : [chosen]), ...navigator.languages]
  for (const tag of asked) {
    const language = languages.find((each) => tag.toLowerCase().startsWith(each))
    if (language !== undefined) return language
  }
  return 'en'
}

export function currentLanguage(): Language {
  return spoken?.language ?? 'en'
}

export function languageTag(): string {
  return tags[currentLanguage()]
}

/** A text of the catalog. */
export function t(key: MessageKey, values: MessageValues = {}): string {
  const message = spoken?.catalogue[key] ?? key
  return fill(typeof message === 'string' ? message : message[formOf(values['count'])], values)
}

/** Finds a text whose key contains a code. Undefined if the catalog has no such text. */
export function findText(key: string, values: MessageValues = {}): string | undefined {
  const message = spoken !== undefined && isKey(spoken.catalogue, key) ? spoken.catalogue[key] : undefined
  if (message === undefined) return undefined
  return fill(typeof message === 'string' ? message : message[formOf(values['count'])], values)
}

function isKey(catalogue: Catalogue, key: string): key is MessageKey {
  return Object.hasOwn(catalogue, key)
}

function formOf(count: string | number | undefined): 'one' | 'other' {
  return new Intl.PluralRules(languageTag()).select(Number(count ?? 0)) === 'one' ? 'one' : 'other'
}

function fill(message: string, values: MessageValues): string {
  return message.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name]
    if (value === undefined) return whole
    return typeof value === 'number' ? value.toLocaleString(languageTag()) : value
  })
}
