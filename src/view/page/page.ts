/**
 * The script of the pages of `view`. The pages are readable without it. It fills parts of long tables and texts near the
 * window, handles keys, and sends edits of the drop list.
 */

/** Parts this near to the window are filled; parts farther away are emptied. */
const NEAR = '1200px 0px';

async function fetched(address: string): Promise<string | null> {
  const response = await fetch(address);
  return response.ok ? response.text() : null;
}

function addressOf(piece: HTMLElement): string {
  const { from, part } = piece.dataset;
  const table = piece.closest<HTMLElement>('[data-rows]');
  if (table !== null) return `${table.dataset.rows}&from=${from}`;
  return `${piece.closest<HTMLElement>('[data-parts]')!.dataset.parts}&part=${part}`;
}

/** Numbers of the ticked documents, visible or not. */
const ticked = new Set<number>();

/** Parts that wait for their content. */
const requested = new Map<Element, Promise<void>>();

/** Fills a part with markup of this server, in which every id and text is escaped. */
function fill(piece: HTMLElement): Promise<void> {
  const known = requested.get(piece);
  if (known !== undefined) return known;
  piece.ariaBusy = 'true';
  const filled = fetched(addressOf(piece)).then((markup) => {
    requested.delete(piece);
    piece.ariaBusy = null;
    if (markup === null || !('later' in piece.dataset)) return;
    delete piece.dataset.later;
    piece.style.height = '';
    piece.innerHTML = markup;
    for (const box of piece.querySelectorAll<HTMLInputElement>('[data-tick]'))
      box.checked = ticked.has(Number(box.dataset.tick));
  });
  requested.set(piece, filled);
  return filled;
}

/** Empties a part, and keeps its height, so that nothing on the page moves. */
function empty(piece: HTMLElement): void {
  if ('later' in piece.dataset || piece.contains(document.activeElement)) return;
  const height = `${piece.getBoundingClientRect().height}px`;
  piece.dataset.later = '';
  if (piece.tagName === 'TBODY') {
    const row = document.createElement('tr');
    const cell = row.insertCell();
    cell.colSpan = piece.closest('table')!.tHead!.rows[0]!.cells.length;
    row.style.height = height;
    piece.replaceChildren(row);
  } else {
    piece.style.height = height;
    piece.replaceChildren();
  }
}

function watchPieces(): void {
  const watcher = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!(target instanceof HTMLElement)) continue;
        if (isIntersecting) void fill(target);
        else empty(target);
      }
    },
    { rootMargin: NEAR },
  );
  for (const piece of document.querySelectorAll('[data-from], [data-part]')) watcher.observe(piece);
}

/** Puts the first visible row into the address of the page, so that a reload shows the same rows. */
function keepPlace(): void {
  const tables = document.querySelectorAll<HTMLTableElement>('[data-rows]');
  if (tables.length !== 1) return;
  const [table] = tables;
  const address = new URL(location.href);
  if (address.searchParams.has('from')) document.getElementById('here')?.scrollIntoView();
  addEventListener('scrollend', () => {
    const seen = [...table!.tBodies].find((body) => body.getBoundingClientRect().bottom > 60);
    const from = seen?.dataset.from ?? '0';
    if (from === '0') address.searchParams.delete('from');
    else address.searchParams.set('from', from);
    history.replaceState(null, '', address);
  });
}

function say(text: string, isProblem = false): void {
  const message = document.getElementById('message')!;
  message.textContent = text;
  message.classList.toggle('problem', isProblem);
}

/** The key under which a message is stored while the page is reloaded. */
const MESSAGE_KEY = 'mr-minhash message';

async function edit(body: object): Promise<void> {
  const response = await fetch('edit', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as {
    readonly message?: string;
    readonly error?: string;
    readonly lost?: readonly string[];
    readonly losses?: number;
  };
  if (answer.lost !== undefined && (await asksToLose(answer.lost, answer.losses ?? 0))) {
    await edit({ ...body, lose: true });
    return;
  }
  if (answer.error !== undefined) {
    say(answer.error, true);
    return;
  }
  sessionStorage.setItem(MESSAGE_KEY, answer.message ?? '');
  location.reload();
}

/** Asks the user whether texts may be lost; false unless the user agrees. */
function asksToLose(lost: readonly string[], total: number): Promise<boolean> {
  const dialog = document.getElementById('ask') as HTMLDialogElement;
  const items = lost.map((id) => {
    const item = document.createElement('li');
    item.className = 'id';
    item.textContent = id;
    return item;
  });
  if (total > lost.length) {
    const item = document.createElement('li');
    item.textContent = `and ${total - lost.length} more`;
    items.push(item);
  }
  document.getElementById('ask-what')!.replaceChildren(...items);
  return new Promise((resolve) => {
    document.getElementById('ask-yes')!.onclick = () => {
      resolve(true);
      dialog.close();
    };
    document.getElementById('ask-no')!.onclick = () => dialog.close();
    // After another answer this has no effect: a promise is settled once.
    dialog.onclose = () => resolve(false);
    dialog.showModal();
  });
}

const numbersIn = (list: string): number[] => list.split(' ').filter(Boolean).map(Number);

function watchEdits(): void {
  say(sessionStorage.getItem(MESSAGE_KEY) ?? '');
  sessionStorage.removeItem(MESSAGE_KEY);
  document.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('button') : null;
    if (button === null) return;
    const { keep, drop, undo, ticked: isOfTicked } = button.dataset;
    if (keep !== undefined) void edit({ keep: numbersIn(keep), drop: numbersIn(drop ?? '') });
    else if (isOfTicked !== undefined) void edit({ drop: [...ticked] });
    else if (undo !== undefined) void edit({ undo: true });
    else if (button.id === 'keys') showKeys();
  });
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.dataset.tick === undefined) return;
    if (target.checked) ticked.add(Number(target.dataset.tick));
    else ticked.delete(Number(target.dataset.tick));
    document.querySelector<HTMLButtonElement>('[data-ticked]')!.disabled = ticked.size === 0;
  });
}

function showKeys(): void {
  const help = document.getElementById('help');
  if (help instanceof HTMLDialogElement && !help.open) help.showModal();
}

/** The rows that the keys j and k move through: those of the first long table, or those in which two texts differ. */
const STEPS = '.whole .different, [data-rows] tbody:not([data-later]) tr';

async function step(by: 1 | -1): Promise<void> {
  const steps = [...document.querySelectorAll<HTMLElement>(STEPS)];
  const current = document.querySelector('.current');
  const at = current === null ? -1 : steps.indexOf(current as HTMLElement);
  const next = current === null ? steps[0] : steps[at + by];
  if (next === undefined || isBehindGap(current, next)) {
    // The next row may be in a part that is not loaded yet.
    const piece = (current ?? document.body).closest<HTMLElement>('[data-from], [data-part]');
    const later = piece === null ? null : neighbour(piece, by);
    if (later === null) return;
    await fill(later);
    const rows = [...later.querySelectorAll<HTMLElement>('tr, .different')];
    mark(by === 1 ? rows[0] : rows.at(-1));
    return;
  }
  mark(next);
}

/** Whether parts that are not loaded are between two rows. */
function isBehindGap(current: Element | null, next: HTMLElement): boolean {
  const [from, to] = [current, next].map(
    (row) => row?.closest<HTMLElement>('[data-from], [data-part]') ?? null,
  );
  if (from === null || to === null || from === to) return false;
  const way: 1 | -1 = from!.compareDocumentPosition(to!) & Node.DOCUMENT_POSITION_FOLLOWING ? 1 : -1;
  const between = neighbour(from!, way);
  return between !== null && between !== to && 'later' in between.dataset;
}

/** The next part with a row to move to, or null. */
function neighbour(piece: HTMLElement, by: 1 | -1): HTMLElement | null {
  // Folded parts have no differences.
  const pieces = [...document.querySelectorAll<HTMLElement>('[data-from], [data-part]')];
  for (let at = pieces.indexOf(piece) + by; at >= 0 && at < pieces.length; at += by)
    if (pieces[at]!.dataset.differences !== '0') return pieces[at]!;
  return null;
}

function mark(row: HTMLElement | undefined): void {
  if (row === undefined) return;
  document.querySelector('.current')?.classList.remove('current');
  row.classList.add('current');
  row.tabIndex = -1;
  row.focus({ preventScroll: true });
  row.scrollIntoView({ block: 'center' });
}

function watchKeys(): void {
  document.addEventListener('keydown', (event) => {
    const target = event.target;
    const isTyping = target instanceof HTMLInputElement && !['range', 'checkbox'].includes(target.type);
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const search = document.getElementById('search');
    if (event.key === 'j') void step(1);
    else if (event.key === 'k') void step(-1);
    else if (event.key === 'u') void edit({ undo: true });
    else if (event.key === 'g') location.assign('.');
    else if (event.key === '?') showKeys();
    else if (event.key === 'Enter' && target instanceof HTMLTableRowElement)
      target.querySelector<HTMLElement>('a[href]')?.click();
    else if (event.key === '/') {
      event.preventDefault();
      if (search === null) location.assign('clusters?find');
      else search.focus();
    }
  });
  if (new URL(location.href).searchParams.has('find')) document.getElementById('search')?.focus();
}

watchPieces();
keepPlace();
watchEdits();
watchKeys();
