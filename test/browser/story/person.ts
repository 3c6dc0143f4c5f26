import { expect } from 'vitest'
import { personPassword } from '../../support/admin-browser.ts'
import { Hands, type SpokenLanguage } from '../support/hands.ts'
import { judgePage } from '../support/judge-page.ts'
import { type ConsoleInBrowser, settle, type VisitedConsole } from '../support/open-console.ts'

/** A person of the story, in a window of their own. */
export interface Person extends VisitedConsole {
  readonly hands: Hands
}

interface Entry {
  readonly width: number
  readonly language: SpokenLanguage
}

export async function enter(inBrowser: ConsoleInBrowser, { width, language }: Entry): Promise<Person> {
  const visited = await inBrowser.visit({ width, language, height: 800 })
  return { ...visited, hands: new Hands(visited.page, language) }
}

export async function judge({ page }: Person): Promise<void> {
  await settle(page)
  const problems = await judgePage(page)
  expect(problems, problems.join('\n')).toEqual([])
}

export async function chooseNameAndPassword({ page, hands }: Person, name: string): Promise<void> {
  await hands.fill('sign_in.name', name)
  await choosePassword({ page, hands })
}

export async function choosePassword({ hands }: Pick<Person, 'page' | 'hands'>): Promise<void> {
  await hands.fill('link.password', personPassword)
  await hands.fill('link.again', personPassword)
}

export async function expectPage({ page, hands }: Person, key: 'nav.overview'): Promise<void> {
  await page.getByRole('heading', { level: 1, name: hands.say(key), exact: true }).waitFor()
}

export async function expectDialog({ page }: Person, name: string): Promise<void> {
  await page.getByRole('dialog', { name }).waitFor()
}
