//! Seeds of text formats.

use padwise_fuzz::parts;

use crate::{Made, Seeds};

const FIXTURES: &str = "crates/report/tests/fixtures";

pub(crate) fn make(seeds: &Seeds) -> Made {
    for name in [
        "quick",
        "synthetic",
        "librispeech",
        "librispeech-frames",
        "ge-table1",
        "anderson-smart",
    ] {
        let config = seeds.file(&format!("configs/{name}.toml"))?;
        seeds.add("config", &format!("{name}.toml"), config)?;
    }
    strategies(seeds)?;
    lengths(seeds)?;
    labels(seeds)?;
    states(seeds)?;
    layouts(seeds)?;
    results(seeds)
}

fn strategies(seeds: &Seeds) -> Made {
    for (number, line) in [
        "random",
        "sorted,batch=8,shuffle-batches",
        "alternated:bins=4,short-first",
        "semi-sorted:lrf=0.1,frames=2000,max-items=64",
        "bucketed:width=50,pad=bucket,drop-last",
        "bucketed:count=10,dynamic=4,long-first",
        "bucketed:optimal=6,pad=multiple:8",
        "bucketed:mxnet,batch=2",
        "smart,dynamic-overshoot=4",
        "random,chunk=50,step=25,min-chunk=10",
        "bucketed:optimal=4294967295",
        "alternated:bins=4294967295,chunk=1,step=1",
        "semi-sorted:lrf=1e308,frames=18446744073709551615",
        "sorted,shuffle-later",
    ]
    .iter()
    .enumerate()
    {
        seeds.add("strategy", &format!("{number:02}"), line)?;
    }
    Ok(())
}

fn lengths(seeds: &Seeds) -> Made {
    let table = "id,frames,split\na,100,train\nb,20,train\n\"c\",\"300\",test\n";
    seeds.add("lengths", "table.csv", table)?;
    seeds.add("lengths", "list.txt", "100\n20\r\n300\r7")?;
    let options = parts::join(&["frames\nsplit=train\n", table]);
    seeds.add("lengths", "options", options)?;
    let seconds = parts::join(&["seconds\n\n10\n", "\u{feff}id,seconds\na,1.25\nb,0.5\n"]);
    seeds.add("lengths", "seconds", seconds)?;
    seeds.add(
        "lengths",
        "manifest.csv",
        "path,duration\na.wav,1.25\nb.wav,0.01\n",
    )?;
    seeds.add(
        "lengths",
        "manifest.jsonl",
        "{\"audio_filepath\":\"a.wav\",\"duration\":1.25}\n{\"duration\":\"0.5\"}\n",
    )?;
    seeds.add("lengths", "bad-infinite", "10\ninf\n")?;
    seeds.add("lengths", "bad-largest", "2147483647\n2147483647\n")
}

fn labels(seeds: &Seeds) -> Made {
    let ctm = ";; comment\nutt-1 1 0.00 0.10 sil\nutt-1 1 0.10 0.05 a 0.9\nutt-2 1 0 0.2 b\n";
    seeds.add("ctm", "valid.ctm", ctm)?;
    seeds.add(
        "ctm",
        "bad-infinite.ctm",
        "utt-1 1 0.0 inf a\nutt-1 1 1e400 0.1 b\n",
    )?;
    seeds.add("ctm", "bad-long.ctm", "utt-1 1 3599999999 0.5 a\n")?;
    for name in ["long", "short", "utf16"] {
        let grid = seeds.file(&format!(
            "crates/features/tests/golden/labels/{name}.TextGrid"
        ))?;
        seeds.add("textgrid", &format!("{name}.TextGrid"), grid)?;
    }
    let grid =
        "\"ooTextFile\"\n\"TextGrid\"\n0\n0.3\n<exists>\n1\n\"IntervalTier\" \"phones\" 0 0.3";
    let valid = format!("{grid} 2\n0 0.1 \"a\"\n0.1 0.3 \"b\"\n");
    seeds.add("textgrid", "phones.TextGrid", valid)?;
    let claim = format!("{grid} 999999999999999\n0 0.1 \"a\"\n");
    seeds.add("textgrid", "bad-claim.TextGrid", claim)
}

fn states(seeds: &Seeds) -> Made {
    let nine = "{\"kind\":\"thirds\",\"phones\":[\"SIL\",\"A\",\"B\"]}";
    seeds.add("states", "thirds.json", nine)?;
    seeds.add("states", "phones.json", nine.replace("thirds", "phones"))?;
    let tied = |tree: &str| {
        format!(
            "{{\"kind\":{{\"tied\":20}},\"phones\":[\"SIL\",\"A\"],\"tying\":{{\"gain\":0.8,\"questions\":[[0],[0,1]],\
             \"trees\":[[\"leaf\"],[\"leaf\"],[\"leaf\"],[\"leaf\"],[\"leaf\"],{tree}]}}}}"
        )
    };
    let tree = "[{\"left\":0},{\"right\":1},\"leaf\",\"leaf\",\"leaf\"]";
    seeds.add("states", "tied.json", tied(tree))?;
    seeds.add("states", "bad-branch.json", tied("[{\"left\":0},\"leaf\"]"))?;
    let question = "[{\"left\":7},\"leaf\",\"leaf\"]";
    seeds.add("states", "bad-question.json", tied(question))
}

fn layouts(seeds: &Seeds) -> Made {
    let csv = "id,path,labels,text,speaker\na,a.wav,a.npy,\"one, two\",ann\nb,b.flac,,,\n";
    seeds.add("manifest", "valid.csv", csv)?;
    let json =
        "{\"id\":\"a\",\"path\":\"a.wav\",\"text\":\"one\"}\n{\"id\":\"b\",\"path\":\"b.flac\"}\n";
    seeds.add("manifest", "valid.jsonl", json)?;
    let lexicon = ";;; comment\nONE W AH N\nONE(2) W AA N\nit's IH T S\n";
    let texts = "one it’s ONE\n\nDon't: e\u{301}tude\n";
    seeds.add("transcripts", "valid", parts::join(&[lexicon, texts]))?;
    seeds.add("transcripts", "bad-word-alone", "ONE\n")?;
    let nemo = "{\"audio_filepath\":\"a.wav\",\"duration\":0.5,\"offset\":0.25,\"text\":\"one\",\"speaker\":7}\n\
                {\"audio_filepath\":\"b.flac\",\"duration\":1,\"lang\":\"en\"}\n";
    seeds.add("manifest", "nemo.jsonl", nemo)?;
    let lhotse = "{\"id\":\"c\",\"start\":0.5,\"duration\":0.5,\"channel\":0,\"type\":\"MonoCut\",\
                  \"supervisions\":[{\"text\":\"one\",\"speaker\":\"ann\"},{\"text\":\"two\"}],\
                  \"recording\":{\"sources\":[{\"type\":\"file\",\"channels\":[0,1],\"source\":\"a.wav\"}]}}\n";
    seeds.add("manifest", "lhotse.jsonl", lhotse)?;
    let segments = "wav,start,seconds\na.wav,0,0.5\na.wav,0.5,0.5\n";
    seeds.add("manifest", "segments.csv", segments)?;
    let features = "id,path,split,frames\na,a.npy,train,3\nb,a.npy,test,3\n";
    seeds.add("manifest", "features.csv", features)?;
    seeds.add("manifest", "bad-nested.jsonl", "[".repeat(200))?;
    let texts = parts::join(&["\u{feff}good\r\n\tmorning\n", "", "one  two"]);
    seeds.add("folder", "texts", texts)?;
    seeds.add("folder", "one", "one")?;
    let chapter = "1-2-0000 ONE TWO\n1-2-0001 THREE\n1-2-0002 FOUR\n";
    seeds.add("librispeech", "chapter", chapter)?;
    seeds.add("librispeech", "incomplete", "1-2-0000 ONE\n1-2-0000\n")?;
    let metadata = "LJ001-0001|In 1455, \"so\"|In fourteen fifty-five, \"so\"\nLJ001-0002|x|\n";
    seeds.add("ljspeech", "metadata", metadata)?;
    seeds.add("ljspeech", "short", "LJ001-0001\n")
}

fn results(seeds: &Seeds) -> Made {
    for name in ["one-seed", "troubled", "overfitted"] {
        let read = |file: &str| seeds.file(&format!("{FIXTURES}/{name}/{file}"));
        let (config, epochs) = (read("config.toml")?, read("epochs.csv")?);
        let folder = parts::join(&[&config, &epochs, &read("environment.json")?]);
        seeds.add("epochs", name, &epochs)?;
        seeds.add("results", name, &folder)?;
        seeds.add("report", name, &folder)?;
    }
    word_errors(seeds)?;
    let config = seeds.file(&format!("{FIXTURES}/one-seed/config.toml"))?;
    seeds.add("config", "results.toml", &config)?;
    let epochs = String::from_utf8(seeds.file(&format!("{FIXTURES}/one-seed/epochs.csv"))?)?;
    let lines: Vec<&str> = epochs.lines().collect();
    let (header, first) = (lines[0], lines[1]);
    let damaged = |epoch: &str| first.replacen(",7,1,", &format!(",7,{epoch},"), 1);
    for (name, lines) in [
        ("bad-epoch-0", vec![header.to_string(), damaged("0")]),
        ("bad-epoch-99", vec![header.into(), damaged("99")]),
        (
            "bad-epoch-largest",
            vec![header.into(), damaged("18446744073709551615")],
        ),
        (
            "bad-duplicates",
            vec![header.into(), first.into(), first.into()],
        ),
        (
            "bad-infinite-times",
            vec![header.into(), first.replace(",31.8751,", ",inf,")],
        ),
        (
            "bad-huge-times",
            vec![header.into(), first.replace(",31.8751,", ",1e308,")],
        ),
        (
            "bad-negative-times",
            vec![header.into(), first.replace(",31.8751,", ",-5.0,")],
        ),
        (
            "bad-counts",
            vec![
                header.into(),
                first.replace(",8738,", ",18446744073709551615,"),
            ],
        ),
    ] {
        let epochs = lines.join("\n") + "\n";
        seeds.add("epochs", name, &epochs)?;
        seeds.add(
            "results",
            name,
            parts::join(&[&config[..], epochs.as_bytes()]),
        )?;
    }
    Ok(())
}

/// A record with word errors, and the same with damaged ones.
fn word_errors(seeds: &Seeds) -> Made {
    let read = |file: &str| -> Result<String, Box<dyn std::error::Error>> {
        let bytes = seeds.file(&format!("{FIXTURES}/words/{file}"))?;
        Ok(String::from_utf8(bytes)?)
    };
    let (config, epochs) = (read("config.toml")?, read("epochs.csv")?);
    let environment = read("environment.json")?;
    let (words, utterances) = (read("words.csv")?, read("test-utterances.csv")?);
    let decoding = read("decoding.json")?;
    let folder = |words: &str, utterances: &str, decoding: &str| {
        let record = [&config, &epochs, &environment];
        let record = record.map(String::as_str);
        parts::join(&[&record[..], &[words, utterances, decoding]].concat())
    };
    let valid = folder(&words, &utterances, &decoding);
    seeds.add("results", "words", &valid)?;
    seeds.add("report", "words", &valid)?;
    seeds.add("config", "words.toml", &config)?;
    let first = words.lines().nth(1).unwrap_or_default();
    let other = utterances.replacen("utt-001", "utt-000", 1);
    for (name, words, utterances) in [
        (
            "bad-words-duplicate-run",
            format!("{words}{first}\n"),
            &utterances,
        ),
        (
            "bad-words-sum",
            words.replacen(",80,", ",81,", 1),
            &utterances,
        ),
        (
            "bad-words-numbers",
            words.replacen(" 0", " x", 1),
            &utterances,
        ),
        (
            "bad-words-largest",
            words.replacen(" 0", " 4294967295", 1),
            &utterances,
        ),
        ("bad-words-utterances", words.clone(), &other),
    ] {
        seeds.add("results", name, folder(&words, utterances, &decoding))?;
    }
    let infinite = decoding.replacen("11.0", "1e999", 1);
    seeds.add(
        "results",
        "bad-words-decoding",
        folder(&words, &utterances, &infinite),
    )
}
