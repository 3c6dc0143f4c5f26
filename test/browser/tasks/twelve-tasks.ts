import type { Page } from 'playwright-core'
import { personPassword } from '../../support/admin-browser.ts'
import type { Hands } from '../support/hands.ts'

/** A user of the console, and what the task may need from elsewhere. */
export interface TaskScene {
  readonly page: Page
  readonly hands: Hands
  /** The address of the link of the first start. */
  readonly firstLink: string
  /** An upstream for channels. */
  readonly origin: string
  /** Sends a request that fails at its channel. */
  sendFailing(): Promise<void>
}

export interface Task {
  readonly name: string
  readonly perform: (scene: TaskScene) => Promise<void>
}

const openRow = async ({ page, hands }: TaskScene, name: string) => {
  await hands.click(page.getByRole('table').getByRole('link', { name, exact: true }).first())
  await page.getByRole('dialog').waitFor()
}

/** The tasks in the order in which a new installation meets them. Each begins at any page and ends with its result in view. */
export const tasks: readonly Task[] = [
  {
    name: 'Become the owner of a new installation',
    async perform({ page, hands, firstLink }) {
      await page.goto(firstLink)
      await hands.fill('sign_in.name', 'olga')
      await hands.fill('link.password', personPassword)
      await hands.fill('link.again', personPassword)
      await hands.press('link.owner.submit')
      await page.getByRole('heading', { name: hands.say('nav.overview') }).waitFor()
    },
  },
  {
    name: "Add a provider's account as a channel",
    async perform({ page, hands }) {
      await hands.goTo('nav.channels')
      await hands.press('channels.add')
      await hands.choose('channels.provider', 'openai')
      await hands.fill('channels.key', 'sk-upstream-0123456789')
      await hands.press('channels.add.submit')
      await page.getByRole('dialog', { name: 'openai' }).waitFor()
      await page.keyboard.press('Escape')
    },
  },
  {
    name: 'Take a channel out of rotation',
    async perform(scene) {
      await scene.hands.goTo('nav.channels')
      await openRow(scene, 'openai')
      await scene.hands.press('channels.disable')
      await scene.page.getByText(scene.hands.say('channels.disabled.why')).waitFor()
      await scene.page.keyboard.press('Escape')
    },
  },
  {
    name: 'Make a group with a budget of 50 dollars a month',
    async perform({ page, hands }) {
      await hands.goTo('nav.groups')
      await hands.press('groups.create')
      await hands.fill('common.name', 'research')
      await hands.press('budget.add')
      await hands.fill('budget.limit', '50')
      await hands.press('groups.create')
      await page.getByRole('table').getByText('research').waitFor()
    },
  },
  {
    name: 'Invite somebody into the group',
    async perform({ hands }) {
      await hands.goTo('nav.users')
      await hands.press('users.invite')
      await hands.fillWords('account.groups', 'research')
      await hands.press('users.invite.submit')
      await hands.readSecret()
      await hands.close()
    },
  },
  {
    name: 'Make a key that may spend 5 dollars a month and ends in 30 days',
    async perform({ hands }) {
      await hands.goTo('nav.keys')
      await hands.press('keys.create')
      await hands.fill('common.name', 'nightly')
      await hands.choose('keys.life', '30d')
      await hands.press('budget.add')
      await hands.fill('budget.limit', '5')
      await hands.press('keys.create')
      await hands.readSecret()
      await hands.close()
    },
  },
  {
    name: 'Rotate the key, the secret before working for a day more',
    async perform(scene) {
      const { hands, page } = scene
      await hands.goTo('nav.keys')
      await openRow(scene, 'nightly')
      await hands.press('keys.rotate')
      await hands.press('keys.rotate')
      await hands.readSecret()
      await hands.close()
      await page.keyboard.press('Escape')
    },
  },
  {
    name: 'Give a model another name, with a fallback',
    async perform({ page, hands }) {
      await hands.goTo('nav.models')
      await hands.press('models.add')
      await hands.fill('models.name', 'fast')
      await hands.fillWords('models.targets', 'demo/demo-chat')
      await hands.fillWords('models.fallbacks', 'gpt-4o')
      await hands.press('models.add.submit')
      await page.getByRole('dialog', { name: 'fast' }).waitFor()
      await page.keyboard.press('Escape')
    },
  },
  {
    name: 'See what each key has cost in 30 days',
    async perform({ page, hands }) {
      await hands.goTo('nav.overview')
      await hands.click(page.locator('main').getByText(hands.say('overview.span.30d'), { exact: true }))
      await hands.click(page.locator('main').getByText(hands.say('overview.by.key'), { exact: true }))
      await page.getByRole('button', { name: 'test' }).waitFor()
    },
  },
  {
    name: 'Find out why a request failed',
    async perform({ page, hands, sendFailing }) {
      await sendFailing()
      await hands.goTo('nav.requests')
      await hands.click(page.getByRole('table').getByRole('link').first())
      await page.getByRole('dialog').getByText('upstream_').first().waitFor()
      await page.keyboard.press('Escape')
    },
  },
  {
    name: 'Stop a key at once',
    async perform(scene) {
      await scene.hands.goTo('nav.keys')
      await openRow(scene, 'nightly')
      await scene.hands.press('common.more')
      const disable = scene.page.getByRole('menuitem', { name: scene.hands.say('keys.disable') })
      await scene.hands.click(disable)
      await scene.page.getByText(scene.hands.say('keys.disabled', { name: 'nightly' })).waitFor()
      await scene.page.keyboard.press('Escape')
    },
  },
  {
    name: 'Take the last change of the configuration back',
    async perform({ page, hands }) {
      await hands.goTo('nav.settings')
      await hands.click(page.getByRole('tab', { name: hands.say('settings.versions'), exact: true }))
      await hands.press('settings.undo')
      await hands.press('settings.undo')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    },
  },
]
