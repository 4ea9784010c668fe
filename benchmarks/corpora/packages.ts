/**
 * The public packages that corpora are cut from: pinned versions, fetched by the registries' own clients and checked
 * against the SHA-256 below.
 *
 * Debian replaces a package by its next security update and removes the old one; the fetch then fails and reports the
 * package. Versions on npm stay, so the pool `npm` can always be rebuilt.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export interface PinnedPackage {
  readonly registry: 'debian' | 'npm';
  readonly name: string;
  readonly version: string;
  readonly sha256: string;
}

function pinned(registry: PinnedPackage['registry'], lines: readonly string[]): readonly PinnedPackage[] {
  return lines.map((line) => {
    const [name, version, sha256] = line.split(' ') as [string, string, string];
    return { registry, name, version, sha256 };
  });
}

const REFERENCES = pinned('debian', [
  'linux-doc-6.1 6.1.192-2 d1d1b5a602f0d439ecc39e713e044bf2df30d839fb4bf8a7b859ba3273c47993',
  'openjdk-17-doc 17.0.21.1+2-1~deb12u1 3e04db24dbcb31d598774973998f1d8212e3424e288befbfef235077325f841d',
  'libboost1.74-doc 1.74.0+ds1-21 10a7c2aa42068bcb71093fc375bf3a9ef2235baa91cc4960aa0c02df3c733d4a',
  'libboost1.81-doc 1.81.0-5+deb12u1 da1e2182ea8955cf6155924066dd611588f855aebf961d0ea0e7ac0092216ebb',
  'llvm-13-doc 1:13.0.1-11 b01bcec104899d0e2283d7f5b43f8c369db671010a58a6bf3c1cb779c75b4e3f',
  'llvm-14-doc 1:14.0.6-12 d83d576ccf39dd9c698f983677f5569284cb4d55f084dd135859a73d31910b1a',
  'llvm-15-doc 1:15.0.6-4 613d2f6c303411508b28775269d4f6c35498905d0f3e2dd39f862191a1faf564',
  'llvm-16-doc 1:16.0.6-15~deb12u1 6f2323357bad4aa2942bf815a8d1ced18fb808746583faeee28e0dc9238112da',
  'llvm-19-doc 1:19.1.7-3~deb12u1 00428729820daa2e9f5d189675ce61cfa8dc5a6d1672bfc3a1be426836fd757c',
  'postgresql-doc-15 15.20-0+deb12u1 4c44bf2c599f208b3f46454a6cf7a72e25ec46ff74d37b59dd31ad76b00eebb7',
  'python3.11-doc 3.11.2-6+deb12u9 5b3594189d6ef9a6963ce0347fd307a1cc67620ad697e144db366070e2e146be',
]);

/** The same guide for five machines, in about twenty languages. */
const GUIDES = pinned('debian', [
  'installation-guide-amd64 20230508+deb12u1 812c43e1dc906daf671e3efe953dc023205c238e5bd5a3021ce4ca142793573a',
  'installation-guide-arm64 20230508+deb12u1 0d44128404c8ffea0232ebd447bc93d3babc429953d5ec438a9ebe219581fb84',
  'installation-guide-armhf 20230508+deb12u1 eaddb588c7c4503813aa26124c44f27094458918392705cb320506abb0703a61',
  'installation-guide-i386 20230508+deb12u1 a64998c6c7483e96815088531663da1df3046a4f6ed743db62fa8edcc2f25e0b',
  'installation-guide-ppc64el 20230508+deb12u1 0d1d1e85e7d18e698878b3f88f3ac77a57606d87657b7964b9ff1c26a2744ed1',
]);

/** Tens of thousands of pages of one kind and style. */
const RUST = pinned('debian', [
  'rust-doc 1.63.0+dfsg1-2 96ef96fe6df87d939ca713bd7df3d15c2b778ccb892eca025c4ee504146f697b',
]);

const MANUALS = pinned('debian', [
  'perl-doc 5.36.0-7+deb12u4 f4269cff4576d6f02a6756df842988e58451c7e945b08517dd235531b24e48f8',
  'git-doc 1:2.39.5-0+deb12u3 3c89668a11053a6bafade3de1f611f4613db31e082af63f43d8c5b69ad8795ec',
]);

/** Packages whose pages are the corpus `docs`. */
export const DOCUMENTATION: readonly PinnedPackage[] = [...REFERENCES, ...MANUALS, ...GUIDES];

/** Packages whose text is cut into the other corpora. */
export const POOLS: Readonly<Record<'debian' | 'npm', readonly PinnedPackage[]>> = {
  debian: [...REFERENCES, ...RUST, ...MANUALS],
  npm: pinned('npm', [
    'aws-sdk 2.1693.0 9ec237477ac3852d06f2fbd9a382207906ef5a35f99a7cb38c504c2ad2f85291',
    'googleapis 171.0.0 8f85cbda3e9243155084415ad7c25989e2e52c7f04f7d427d19c97265da3dfc6',
    'typescript 6.0.3 33cd0ee1beaa8c9e9d15a9da836c62ddea4c34a42d7c2d349dbc80d94165d22a',
  ]),
};

function fetchInto(folder: string, { registry, name, version }: PinnedPackage): void {
  const options = { cwd: folder, stdio: 'pipe' as const };
  if (registry === 'debian') execFileSync('apt-get', ['download', '--quiet', `${name}=${version}`], options);
  else execFileSync('npm', ['pack', '--silent', '--ignore-scripts', `${name}@${version}`], options);
}

function unpack(registry: PinnedPackage['registry'], file: string, folder: string): void {
  if (registry === 'debian') execFileSync('dpkg-deb', ['-x', file, folder]);
  else execFileSync('tar', ['-xzf', file, '-C', folder]);
}

/** The folder with the files of a package; fetches, verifies and extracts it unless an earlier call did. */
export function unpackedPackage(one: PinnedPackage, cache: string): string {
  const key = `${one.registry}-${one.name}-${one.sha256.slice(0, 12)}`;
  const folder = join(cache, 'packages', key);
  if (existsSync(folder)) return folder;
  mkdirSync(join(cache, 'packages'), { recursive: true });
  const scratch = mkdtempSync(join(cache, 'fetch-'));
  try {
    try {
      fetchInto(scratch, one);
    } catch (cause) {
      throw new Error(
        `${one.registry} does not serve ${one.name} ${one.version}: run apt-get update, or take --pool npm, ` +
          'or pin the next version in benchmarks/corpora/packages.ts',
        { cause },
      );
    }
    const file = join(scratch, readdirSync(scratch)[0]!);
    const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
    if (sha256 !== one.sha256)
      throw new Error(`${one.name} ${one.version} has SHA-256 ${sha256}, not ${one.sha256}`);
    mkdirSync(join(scratch, 'unpacked'));
    unpack(one.registry, file, join(scratch, 'unpacked'));
    renameSync(join(scratch, 'unpacked'), folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return folder;
}
