import { Link } from '@tanstack/react-router'
import { t } from '../language/language.ts'
import { Logo } from '../shell/logo.tsx'
import { navigationFor } from '../shell/navigation.ts'
import { usePermissions } from '../shell/use-me.ts'
import { Icon } from '../ui/icon.tsx'

/** The list of pages. */
export function NavigationList({ onChoose }: { readonly onChoose?: () => void }) {
  const sections = navigationFor(usePermissions())
  return (
    <nav aria-label={t('nav.label')} className="space-y-5 lg:space-y-3">
      {sections.map(({ label, items }) => (
        <div key={label}>
          <p className="mb-1 px-3 text-xs font-medium text-muted">{t(label)}</p>
          <ul className="space-y-0.5">
            {items.map(({ to, label: name, icon }) => (
              <li key={to}>
                <Link
                  to={to}
                  activeOptions={{ exact: to === '/' }}
                  onClick={onChoose}
                  className="flex min-h-9 items-center lg:min-h-8 gap-2.5 rounded-lg px-3 font-medium text-muted transition-colors hover:bg-hover hover:text-ink"
                  activeProps={{ className: 'bg-accent-soft !text-accent', 'aria-current': 'page' }}
                >
                  <Icon name={icon} />
                  {t(name)}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}

export function Sidebar() {
  return (
    <aside className="sticky top-0 hidden h-dvh flex-col border-r border-line bg-surface lg:flex">
      <Link to="/" className="flex h-14 shrink-0 items-center px-5">
        <Logo />
      </Link>
      <div className="min-h-0 flex-1 overflow-y-auto px-3 pt-1 pb-3">
        <NavigationList />
      </div>
    </aside>
  )
}
