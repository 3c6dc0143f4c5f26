import type { MessageKey } from '../language/en/messages.ts'
import type { IconName } from '../ui/icon.tsx'
import type { Operation, Permissions } from './permissions.ts'

export interface NavigationItem {
  readonly to: string
  readonly label: MessageKey
  readonly icon: IconName
  /** The key that opens the page after `g`. */
  readonly shortcut: string
  /** The operation without which the page is useless. Absent if everybody has the page. */
  readonly needs?: Operation
  /** Whether managers of a group have the page as well. */
  readonly isForManagers?: boolean
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
      {
        to: '/groups',
        label: 'nav.groups',
        icon: 'group',
        shortcut: 'e',
        needs: 'GET /users',
        isForManagers: true,
      },
      { to: '/users', label: 'nav.users', icon: 'user', shortcut: 'u', needs: 'GET /users' },
    ],
  },
  {
    label: 'nav.section.serving',
    items: [
      { to: '/channels', label: 'nav.channels', icon: 'channel', shortcut: 'c', needs: 'GET /channels' },
      { to: '/models', label: 'nav.models', icon: 'model', shortcut: 'm', needs: 'GET /catalog' },
      { to: '/health', label: 'nav.health', icon: 'health', shortcut: 'h', needs: 'GET /health' },
    ],
  },
  {
    label: 'nav.section.use',
    items: [
      {
        to: '/playground',
        label: 'nav.playground',
        icon: 'playground',
        shortcut: 'p',
        needs: 'POST /playground/completions',
      },
      { to: '/connect', label: 'nav.connect', icon: 'connect', shortcut: 'n' },
    ],
  },
  {
    label: 'nav.section.installation',
    items: [
      { to: '/drafts', label: 'nav.drafts', icon: 'edit', shortcut: 'd', needs: 'GET /drafts' },
      { to: '/nodes', label: 'nav.nodes', icon: 'nodes', shortcut: 'i', needs: 'GET /nodes' },
      { to: '/audit', label: 'nav.audit', icon: 'audit', shortcut: 'a', needs: 'GET /audit' },
      { to: '/settings', label: 'nav.settings', icon: 'settings', shortcut: 's', needs: 'GET /settings' },
    ],
  },
]

/** Whether the page at a path is one that the user may not see. Other roles may have sent its address. */
export function isWithheld(pathname: string, permissions: Permissions): boolean {
  const to = `/${pathname.split('/')[1] ?? ''}`
  const page = sections.flatMap(({ items }) => items).find((item) => item.to === to)
  // A page that needs a change says itself what it would send.
  if (page?.needs === undefined || !page.needs.startsWith('GET ')) return false
  return !navigationFor(permissions).some(({ items }) => items.includes(page))
}

/** The pages that the user may see. */
export function navigationFor({ may, managesGroups }: Permissions): readonly NavigationSection[] {
  const isShown = ({ needs, isForManagers = false }: NavigationItem) =>
    needs === undefined || may(needs) || (isForManagers && managesGroups)
  return sections
    .map((section) => ({ ...section, items: section.items.filter(isShown) }))
    .filter(({ items }) => items.length > 0)
}
