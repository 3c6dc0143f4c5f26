import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { explainError } from '../api/describe-error.ts'
import { signOut } from '../api/session.ts'
import { t } from '../language/language.ts'
import { DisplayMenu, useLanguageItems } from '../shell/display-menu.tsx'
import { Logo } from '../shell/logo.tsx'
import { useShell } from '../shell/shell-context.ts'
import { useMe } from '../shell/use-me.ts'
import { IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { Menu } from '../ui/menu.tsx'
import { showToast } from '../ui/toasts.tsx'
import { paletteKeys } from './palette-keys.ts'
import { NavigationList } from './sidebar.tsx'

export function TopBar() {
  const { openPalette } = useShell()
  return (
    <header className="sticky top-0 z-30 flex h-14 items-center gap-1 border-b border-line bg-ground/95 px-3 backdrop-blur lg:px-8">
      <MobileNavigation />
      <Link to="/" className="lg:hidden">
        <Logo />
      </Link>
      <button
        type="button"
        onClick={openPalette}
        className="ml-auto flex min-h-9 items-center gap-2 rounded-lg border border-line bg-surface px-2.5 text-muted hover:bg-hover lg:ml-0 lg:w-72"
      >
        <Icon name="search" className="size-4" />
        <span className="max-lg:sr-only">{t('palette.open')}</span>
        <kbd className="ml-auto rounded border border-line px-1.5 text-xs max-lg:hidden">
          {paletteKeys.join(' ')}
        </kbd>
      </button>
      <div className="flex items-center gap-0.5 lg:ml-auto">
        <DisplayMenu />
        <AccountMenu />
      </div>
    </header>
  )
}

function MobileNavigation() {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <div className="lg:hidden">
      <IconButton icon="menu" label={t('nav.open')} onClick={() => setOpen(true)} />
      <Dialog isOpen={isOpen} onClose={close} title={t('nav.label')}>
        <NavigationList onChoose={close} />
      </Dialog>
    </div>
  )
}

function AccountMenu() {
  const me = useMe()
  const client = useQueryClient()
  const navigate = useNavigate()
  const { openShortcuts } = useShell()
  const languageItems = useLanguageItems()
  const leave = () =>
    signOut(client).catch((error: unknown) => showToast(explainError(error), { tone: 'bad' }))
  return (
    <Menu
      trigger={<IconButton icon="user" label={t('account.menu', { name: me.name })} />}
      heading={`${me.name} · ${t(`role.${me.role}`)}`}
      sections={[
        [
          { label: t('account.title'), icon: 'user', run: () => void navigate({ to: '/account' }) },
          { label: t('shortcuts.title'), icon: 'keyboard', run: openShortcuts },
        ],
        { heading: t('display.language'), items: languageItems },
        [{ label: t('account.sign_out'), icon: 'exit', run: () => void leave() }],
      ]}
    />
  )
}
