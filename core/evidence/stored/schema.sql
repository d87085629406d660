-- The records of a built evidence set. `no` is a dense number from 0. Papers are numbered by relevance desc (missing
-- last), published desc (missing last), paper_id; claims by weight desc, claim_id: the orders of lists without a query.
-- Bodies are JSON texts with the keys of core.evidence.results; a paper's `url` is left out where the site gives it.

PRAGMA user_version = 1;

CREATE TABLE paper (
  no INTEGER PRIMARY KEY, paper_id TEXT NOT NULL UNIQUE,
  catalog_ref TEXT,                -- what the catalog it was built beside takes as the paper's id
  title_fold TEXT NOT NULL, short_fold TEXT,
  brief TEXT NOT NULL,             -- as rows of claims show it
  listed TEXT NOT NULL,            -- as rows of papers show it
  body TEXT NOT NULL,              -- whole
  is_retracted INTEGER NOT NULL,
  searched TEXT NOT NULL           -- JSON object field -> text, what snippets are cut from
);
CREATE INDEX paper_title ON paper(title_fold);
CREATE INDEX paper_short ON paper(short_fold) WHERE short_fold IS NOT NULL;

-- value is the folded id of core.identifiers.Identifier.key without its kind
CREATE TABLE identifier (
  scheme TEXT NOT NULL, value TEXT NOT NULL, no INTEGER NOT NULL, PRIMARY KEY (scheme, value)
) WITHOUT ROWID;

CREATE TABLE claim (
  no INTEGER PRIMARY KEY, claim_id INTEGER NOT NULL UNIQUE, paper_no INTEGER NOT NULL, body TEXT NOT NULL,
  counts TEXT NOT NULL,            -- JSON object of relationship counts
  balance REAL                     -- null where nothing supports or contradicts
);
CREATE INDEX claim_paper ON claim(paper_no, no);

CREATE TABLE relation (
  relation_id INTEGER PRIMARY KEY, type TEXT NOT NULL, from_no INTEGER NOT NULL, to_no INTEGER NOT NULL,
  confidence REAL NOT NULL, rationale TEXT
);
CREATE INDEX relation_from ON relation(from_no);
CREATE INDEX relation_to ON relation(to_no);

CREATE TABLE author (
  no INTEGER PRIMARY KEY,          -- entities first, then paper count desc, folded name, author_id
  author_id TEXT NOT NULL UNIQUE, is_entity INTEGER NOT NULL, display_name TEXT NOT NULL, folded TEXT NOT NULL,
  paper_count INTEGER NOT NULL,
  variants TEXT NOT NULL,          -- JSON list, recorded and spelled on papers
  body TEXT NOT NULL
);
CREATE TABLE author_paper (
  author_no INTEGER NOT NULL, paper_no INTEGER NOT NULL, PRIMARY KEY (author_no, paper_no)
) WITHOUT ROWID;
CREATE TABLE name_token (
  token TEXT NOT NULL, author_no INTEGER NOT NULL, is_last INTEGER NOT NULL, PRIMARY KEY (token, author_no)
) WITHOUT ROWID;

CREATE TABLE category (no INTEGER PRIMARY KEY, slug TEXT NOT NULL UNIQUE);
CREATE TABLE source (no INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);

CREATE TABLE digest (
  date TEXT PRIMARY KEY, title TEXT NOT NULL, markdown TEXT NOT NULL, paper_ids TEXT NOT NULL
) WITHOUT ROWID;

-- where a term's postings and places lie in the arrays of its field; field names are unique over both indexes
CREATE TABLE term (
  field TEXT NOT NULL, term TEXT NOT NULL, first INTEGER NOT NULL, documents INTEGER NOT NULL,
  first_place INTEGER NOT NULL, places INTEGER NOT NULL, PRIMARY KEY (field, term)
) WITHOUT ROWID;

CREATE TABLE chunk (
  no INTEGER PRIMARY KEY, paper_no INTEGER NOT NULL, chunk_id TEXT NOT NULL, section TEXT, text TEXT NOT NULL
);
