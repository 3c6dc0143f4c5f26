import type { Command } from 'commander'

/** The examples by their command's words. A command without an example fails a test. */
const examples: Readonly<Record<string, readonly string[]>> = {
  '': ['headgate serve', 'headgate check', 'headgate keys create --name ci'],
  serve: [
    'headgate serve',
    'headgate serve --config headgate.yaml --listen 127.0.0.1:9000',
    'HEADGATE_DATA=/var/lib/headgate headgate serve',
  ],
  check: ['headgate check', 'headgate check --config headgate.yaml --json'],
  init: ['headgate init', 'headgate init gateway.yaml'],
  health: [
    'headgate health --ready',
    'headgate health --channels',
    'headgate health --reset openai            # after you replaced its key',
  ],
  alerts: ['headgate alerts list --state open', 'headgate alerts test ops'],
  'alerts list': [
    'headgate alerts list --state open',
    'headgate alerts list --kind error-rate --channel primary --json',
  ],
  'alerts show': ['headgate alerts show alr_1f0c'],
  'alerts receivers': ['headgate alerts receivers'],
  'alerts rules': ['headgate alerts rules --json'],
  'alerts ack': ['headgate alerts ack alr_1f0c --comment "the provider is at it"'],
  'alerts mute': ['headgate alerts mute alr_1f0c --for 2h'],
  'alerts unmute': ['headgate alerts unmute alr_1f0c'],
  'alerts test': ['headgate alerts test ops'],
  'alerts add-rule': ['headgate alerts add-rule slow --set kind=latency --set above=5s'],
  'alerts edit-rule': [
    'headgate alerts edit-rule error-rate --set above=20 --set window=10m',
    'headgate alerts edit-rule unpriced --set off=true',
  ],
  'alerts remove-rule': ['headgate alerts remove-rule slow'],
  'alerts add-receiver': ['headgate alerts add-receiver ops --from receiver.yaml'],
  'alerts edit-receiver': ['headgate alerts edit-receiver ops --set severity=critical'],
  'alerts remove-receiver': ['headgate alerts remove-receiver ops'],
  certify: [
    'headgate certify openai --model gpt-4o',
    'headgate certify openai --checks chat,stream,tools --max-cost 0.05 --json',
    'headgate certify openai --plan             # what it can cost, before',
  ],
  captures: ['headgate captures status', 'headgate captures list --limit 10'],
  'captures status': ['headgate captures status'],
  'captures list': ['headgate captures list --since 7d --json'],
  'captures show': ['headgate captures show req_0197'],
  'captures export': ['headgate captures export captures.jsonl --key ci'],
  'captures delete': ['headgate captures delete req_0197', 'headgate captures delete --key ci'],
  backup: [
    'headgate backup /var/backups/headgate-2027-01-31.tar',
    'headgate backup --without-secrets copy.tar',
  ],
  restore: [
    'headgate restore --data /var/lib/headgate headgate-2027-01-31.tar',
    'headgate restore --replace headgate-2027-01-31.tar',
  ],
  migrate: [
    'HEADGATE_DATABASE_URL=postgres://headgate@db.internal/headgate headgate migrate --dry-run',
    'headgate migrate --from data --to postgres://headgate@db.internal/headgate',
    'headgate migrate --from data --to postgres://headgate@db.internal/headgate --finish',
  ],
  keys: ['headgate keys create --name ci', 'headgate keys list'],
  users: ['headgate users accept', 'headgate users invite --role member --group search'],
  'users list': ['headgate users list', 'headgate users list --group search --sort -last_sign_in --json'],
  'users show': ['headgate users show anna'],
  'users invite': [
    'headgate users invite --role member --group search --name anna',
    'headgate users invite --role admin',
  ],
  'users link': ['headgate users link --owner                # where no owner can sign in any more'],
  'users reset': ['headgate users reset anna', 'headgate users reset anna --second-factor'],
  'users accept': [
    'headgate users accept                      # the link to the first owner',
    'headgate users accept FoQ9VbN2',
  ],
  'users links': ['headgate users links'],
  'users unlink': ['headgate users unlink lnk_1f0c'],
  'users unlink-identity': ['headgate users unlink-identity anna'],
  'users edit': ['headgate users edit anna --role viewer', 'headgate users edit anna --manages search'],
  'users disable': ['headgate users disable anna --keys disable'],
  'users enable': ['headgate users enable anna'],
  'users delete': ['headgate users delete anna --keys hand-over:bert'],
  'users sessions': ['headgate users sessions', 'headgate users sessions --end ses_1f0c'],
  tokens: ['headgate tokens list'],
  'tokens list': ['headgate tokens list --json'],
  'tokens create': ['headgate tokens create --name deploy --service admin --scope keys:write --expires 90d'],
  'tokens revoke': ['headgate tokens revoke tok_1f0c'],
  'keys create': [
    'headgate keys create --name ci',
    'headgate keys create --name ci --models gpt-4o,fast --expires 90d --allow-ip 10.0.0.0/8 --budget 5/day',
  ],
  'keys edit': [
    'headgate keys edit ci --models "qwen*,gpt-4o" --expires 30d',
    'headgate keys edit ci --budget 5/day --budget 50/month --rpm 60 --tag team=search',
    'headgate keys edit ci --set group=null --set rate=null',
  ],
  'keys callers': ['headgate keys callers ci', 'headgate keys callers key_1f0c --json'],
  'keys rotate': ['headgate keys rotate ci', 'headgate keys rotate ci --overlap 1h'],
  'keys list': ['headgate keys list', 'headgate keys list --all --json'],
  'keys show': ['headgate keys show ci'],
  'keys revoke': ['headgate keys revoke ci'],
  'keys disable': ['headgate keys disable ci'],
  'keys enable': ['headgate keys enable ci'],
  budgets: ['headgate budgets list', 'headgate budgets raise all --by 20 --until 2027-01-01'],
  'budgets list': ['headgate budgets list'],
  'budgets show': [
    'headgate budgets show key:ci/day',
    'headgate budgets show key:ci/end_user/day --value bob',
  ],
  'budgets add': [
    'headgate budgets add all --scope installation --limit 1000 --window month',
    'headgate budgets add gpt --scope "model:gpt-*" --limit 50 --window day --mode observe',
  ],
  'budgets edit': ['headgate budgets edit all --limit 1500'],
  'budgets remove': ['headgate budgets remove all'],
  'budgets values': ['headgate budgets values key:ci/end_user/day --limit 100'],
  'budgets forecast': ['headgate budgets forecast all', 'headgate budgets forecast key:ci/day --json'],
  'budgets raise': ['headgate budgets raise all --by 20 --until 2027-01-01 --reason "launch week"'],
  'budgets reset': ['headgate budgets reset key:ci/day'],
  credits: [
    'headgate credits list',
    'headgate credits grant --key ci --usd 50 --reason "pilot" --expires 90d',
  ],
  'credits list': ['headgate credits list', 'headgate credits list --key ci'],
  'credits grant': [
    'headgate credits grant --key ci --usd 50 --reason "pilot" --expires 90d',
    'headgate credits grant --group search --usd -5 --reason "granted twice"',
  ],
  codes: ['headgate codes create --usd 10 --count 5', 'headgate codes list'],
  'codes list': ['headgate codes list'],
  'codes create': ['headgate codes create --usd 10 --count 5 --expires 90d --credit-life 365d'],
  'codes redeem': ['headgate codes redeem HG-7K2M-PQ4R-ZX81-0WCE-9T3A-BD6F --key ci'],
  'codes revoke': ['headgate codes revoke code_0b0e0c8e5f6f4f0e9a550d8c'],
  channels: ['headgate channels list', 'headgate channels disable spare'],
  'channels list': ['headgate channels list'],
  'channels show': ['headgate channels show spare'],
  'channels remove': ['headgate channels remove spare'],
  'channels add': [
    'headgate channels add spare --provider openai --key-env SPARE_KEY --models gpt-4o --weight 2',
    'headgate channels add lab --provider openai-compatible --base-url https://lab.example.com/v1 --models "*"',
  ],
  'channels edit': [
    'headgate channels edit spare --set timeouts.idle=90s',
    'headgate channels edit spare --key-file new-key.txt',
  ],
  'channels try': ['headgate channels try spare --provider openai --key-env SPARE_KEY --model gpt-4o-mini'],
  'channels disable': ['headgate channels disable spare'],
  'channels enable': ['headgate channels enable spare'],
  models: ['headgate models list', 'headgate models add fast --targets openai/gpt-4o-mini'],
  'models list': ['headgate models list'],
  'models show': ['headgate models show fast'],
  'models remove': ['headgate models remove fast'],
  'models add': [
    'headgate models add fast --targets openai/gpt-4o-mini,spare/gpt-4o --fallback gpt-4o',
    'headgate models add fast --targets openai/gpt-4o --set context_window=128000',
    'headgate models add fast --targets openai/gpt-4o=9,spare/gpt-5=1   # a canary with a tenth',
  ],
  'models served': ['headgate models served', 'headgate models served --key ci --json'],
  'models route': [
    'headgate models route fast',
    'headgate models route fast --key ci --format messages --stream',
  ],
  providers: ['headgate providers'],
  settings: ['headgate settings', 'headgate settings --json'],
  'config diff': ['headgate config diff 4', 'headgate config diff 7 --from 4'],
  'config schema': ['headgate config schema > headgate.schema.json'],
  'models edit': ['headgate models edit fast --strategy least-latency'],
  groups: ['headgate groups list', 'headgate groups join search mia --manager'],
  'groups list': ['headgate groups list', 'headgate groups list --sort -keys --json'],
  'groups show': ['headgate groups show search'],
  'groups add': [
    'headgate groups add search --models "gpt-*" --budget 500/month',
    'headgate groups add search --multiplier 1.1 --set key_defaults.expires=90d',
  ],
  'groups edit': ['headgate groups edit search --budget 800/month --set rate.rpm=600'],
  'groups remove': ['headgate groups remove search'],
  'groups members': ['headgate groups members search'],
  'groups join': ['headgate groups join search mia', 'headgate groups join search mia --manager'],
  'groups leave': ['headgate groups leave search mia'],
  'user-limits': ['headgate user-limits add alice --budget 5/day'],
  'user-limits list': ['headgate user-limits list'],
  'user-limits show': ['headgate user-limits show alice'],
  'user-limits add': ['headgate user-limits add alice --budget 5/day --set rate.rpm=60'],
  'user-limits edit': ['headgate user-limits edit alice --budget 8/day'],
  'user-limits remove': ['headgate user-limits remove alice'],
  config: ['headgate config show', 'headgate config undo'],
  'config show': ['headgate config show', 'headgate config show --document > mine.json'],
  'config versions': ['headgate config versions', 'headgate config versions 4'],
  'config check': ['headgate config check mine.json'],
  'config apply': ['headgate config apply mine.json --base 4 --comment "add the spare channel"'],
  'config preview': [
    'headgate config preview models fast --set strategy=cheapest',
    'headgate config preview channels openai --remove',
  ],
  'config undo': ['headgate config undo', 'headgate config undo 4 --preview'],
  drafts: ['headgate drafts create "cheaper models"', 'headgate drafts list'],
  'drafts list': ['headgate drafts list'],
  'drafts create': ['headgate drafts create "cheaper models" --comment "the budget of December"'],
  'drafts show': ['headgate drafts show draft_5f3b9c'],
  'drafts edit': ['headgate drafts edit draft_5f3b9c --name "no more gpt-4o"'],
  'drafts add': ['headgate drafts add draft_5f3b9c groups search --set "models=[gpt-4o]"'],
  'drafts put': ['headgate drafts put draft_5f3b9c models fast --set "targets=[openai/gpt-4o-mini]"'],
  'drafts patch': ['headgate drafts patch draft_5f3b9c channels openai --set weight=3'],
  'drafts remove': ['headgate drafts remove draft_5f3b9c budgets spree'],
  'drafts rebase': ['headgate drafts rebase draft_5f3b9c --prefer newest'],
  'drafts apply': ['headgate drafts apply draft_5f3b9c --comment "as agreed"'],
  'drafts discard': ['headgate drafts discard draft_5f3b9c'],
  'config restore': ['headgate config restore 3', 'headgate config restore 3 --preview'],
  usage: [
    'headgate usage --by key,model,day --since 2026-11-01',
    'headgate usage --by tag:team --since 7d --csv > usage.csv',
    'headgate usage --by day --key ci --time-zone Europe/Berlin',
  ],
  completion: [
    'headgate completion bash > ~/.local/share/bash-completion/completions/headgate',
    'headgate completion zsh > ~/.zfunc/_headgate',
    'headgate completion fish > ~/.config/fish/completions/headgate.fish',
    'headgate completion powershell >> $PROFILE',
  ],
  traffic: [
    'headgate traffic',
    'headgate traffic --by channel --since 7d',
    'headgate traffic --by day --since 30d --json',
  ],
  ledger: ['headgate ledger list --key ci', 'headgate ledger verify'],
  'ledger list': [
    'headgate ledger list --since 1h --state estimated',
    'headgate ledger list --request req_0b0e0c8e-5f6f-4f0e-9a55-0d8c1b7a0c11',
  ],
  'ledger export': [
    'headgate ledger export november.csv --since 2026-11-01 --until 2026-12-01',
    'headgate ledger export --format jsonl --key ci > ci.jsonl',
  ],
  'ledger verify': ['headgate ledger verify'],
  logs: [
    'headgate logs --channel openai --status 5xx --since 2h',
    'headgate logs --key ci --min-ms 30000 --json',
    'headgate logs --captured --since 1d',
    'headgate logs --follow',
  ],
  'logs show': ['headgate logs show req_0b0e0c8e-5f6f-4f0e-9a55-0d8c1b7a0c11'],
  prices: ['headgate prices list', 'headgate prices show gpt-4o'],
  'prices list': [
    'headgate prices list',
    'headgate prices list --source none',
    'headgate prices list --at 2027-01-01',
  ],
  'prices show': ['headgate prices show gpt-4o', 'headgate prices show gpt-4o --json'],
  'prices diff': ['headgate prices diff model_prices_and_context_window.json'],
  'prices update': [
    'headgate prices update model_prices_and_context_window.json',
    'headgate prices update prices.json --source "our contract" --date 2027-01-01',
  ],
  restart: ['headgate restart'],
  nodes: ['headgate nodes', 'headgate nodes --json'],
  audit: ['headgate audit', 'headgate audit --limit 10 --json'],
  chaos: ['headgate chaos list', 'headgate chaos upstream --fault F8-reset'],
  'chaos upstream': [
    'headgate chaos upstream --fault F8-reset',
    'headgate chaos upstream --script faults.yaml --seed 7 --listen 127.0.0.1:9200',
  ],
  'chaos proxy': ['headgate chaos proxy --to api.example.com:443 --script network.yaml'],
  'chaos list': ['headgate chaos list'],
  'chaos show': ['headgate chaos show F8-reset > faults.json'],
}

const GLOBAL_OPTIONS = 'The options --config, --data and --listen go with every command: headgate --help'

/** Adds examples to every command, and replaces the repeated block of global options by one line. */
export function addExamples(program: Command): void {
  for (const { words, command } of listCommands(program)) {
    const lines = examples[words] ?? []
    const shown = lines.map((line) => `  ${line}\n`).join('')
    const more = words === '' ? '' : `\n${GLOBAL_OPTIONS}\n`
    command.addHelpText('after', `${shown === '' ? '' : `\nExamples:\n${shown}`}${more}`)
  }
}

/** Lists each command in the help with its words. The program itself has no words. */
export function listCommands(
  program: Command,
  words = '',
): readonly { readonly words: string; readonly command: Command }[] {
  const shown = program.createHelp().visibleCommands(program)
  const below = shown
    .filter((command) => command.name() !== 'help')
    .flatMap((command) => listCommands(command, `${words} ${command.name()}`.trim()))
  return [{ words, command: program }, ...below]
}
