import type { MessageKey } from '../language/en/messages.ts'
import type { IconName } from '../ui/icon.tsx'
import type { Permissions } from './permissions.ts'

export interface NavigationItem {
  readonly to: string
  readonly label: MessageKey
  readonly icon: IconName
  /** The key that leads there after `g`. */
  readonly shortcut: string
  /** Whether only those see it who see all of the installation, or those as well who manage a group. */
  readonly only?: 'operators' | 'managers'
}

export interface NavigationSection {
  readonly label: MessageKey
  readonly items: readonly NavigationItem[]
}

const sections: readonly NavigationSection[] = [
  {
    label: 'nav.section.traffic',
    items: [
      { to: '/', label: 'nav.overview', icon: 'overview', shortcut: 'o' },
      { to: '/requests', label: 'nav.requests', icon: 'requests', shortcut: 'r' },
      { to: '/usage', label: 'nav.usage', icon: 'usage', shortcut: 'y' },
      { to: '/budgets', label: 'nav.budgets', icon: 'budget', shortcut: 'b' },
    ],
  },
  {
    label: 'nav.section.access',
    items: [
      { to: '/keys', label: 'nav.keys', icon: 'key', shortcut: 'k' },
      { to: '/groups', label: 'nav.groups', icon: 'group', shortcut: 'e', only: 'managers' },
      { to: '/users', label: 'nav.users', icon: 'user', shortcut: 'u', only: 'operators' },
    ],
  },
  {
    label: 'nav.section.serving',
    items: [
      { to: '/channels', label: 'nav.channels', icon: 'channel', shortcut: 'c', only: 'operators' },
      { to: '/models', label: 'nav.models', icon: 'model', shortcut: 'm', only: 'operators' },
      { to: '/health', label: 'nav.health', icon: 'health', shortcut: 'h', only: 'operators' },
    ],
  },
  {
    label: 'nav.section.use',
    items: [
      { to: '/playground', label: 'nav.playground', icon: 'playground', shortcut: 'p' },
      { to: '/connect', label: 'nav.connect', icon: 'connect', shortcut: 'n' },
    ],
  },
  {
    label: 'nav.section.installation',
    items: [
      { to: '/drafts', label: 'nav.drafts', icon: 'edit', shortcut: 'd', only: 'operators' },
      { to: '/audit', label: 'nav.audit', icon: 'audit', shortcut: 'a', only: 'operators' },
      { to: '/settings', label: 'nav.settings', icon: 'settings', shortcut: 's', only: 'operators' },
    ],
  },
]

/** The pages that somebody may see. */
export function navigationFor({ seesAll, managesGroups }: Permissions): readonly NavigationSection[] {
  return sections
    .map((section) => ({
      ...section,
      items: section.items.filter(
        ({ only }) => seesAll || only === undefined || (only === 'managers' && managesGroups),
      ),
    }))
    .filter(({ items }) => items.length > 0)
}
